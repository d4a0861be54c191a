-- What a process has leased of a day and not spent, as it told with its last take, and when that was.
ALTER TABLE ledger_processes ADD COLUMN unspent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_processes ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0;
