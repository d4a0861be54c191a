-- JSON: how many WebSockets and subscriptions are open, by the id of their key.
ALTER TABLE fleet ADD COLUMN open TEXT NOT NULL DEFAULT '{}';
