-- When commits were last found to be missing that a gateway had seen. One row, or none.
CREATE TABLE lost_commits (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  found_at INTEGER NOT NULL
);
