-- The number of the shared balance that a day has its own in place of. Null: it never was to share one.
ALTER TABLE ledger ADD COLUMN spare_of INTEGER;
