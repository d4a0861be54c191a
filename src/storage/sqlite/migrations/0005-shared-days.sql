-- Days of an owner with the same number here share one balance. Null: the day has one of its own.
ALTER TABLE ledger ADD COLUMN pool INTEGER;
