-- Calls that went to partners: one row for each network and UTC day, for the caps and the books.
CREATE TABLE partner_calls (
  network TEXT NOT NULL,
  -- Days since 1970-01-01, UTC.
  day INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  -- What the last take was answered: a statement returns columns, and nothing of its way to them.
  allowed INTEGER NOT NULL,
  PRIMARY KEY (network, day)
) STRICT, WITHOUT ROWID;
