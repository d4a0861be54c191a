-- What each process took and gave back, so that neither is carried out twice: of a day its last take, and the
-- series in which credits go back. Rows are of use for as long as a process may ask again.
CREATE TABLE ledger_processes (
  owner TEXT NOT NULL,
  process TEXT NOT NULL,
  day INTEGER NOT NULL,
  number INTEGER NOT NULL DEFAULT 0,
  granted INTEGER NOT NULL DEFAULT 0,
  wait_ms INTEGER NOT NULL DEFAULT 0,
  series INTEGER NOT NULL DEFAULT 0,
  returned INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (owner, process, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_processes_by_day ON ledger_processes (day);
