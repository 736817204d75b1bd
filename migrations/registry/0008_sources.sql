-- The address that a file was downloaded from. Null if a person named the file in an import.
ALTER TABLE files ADD COLUMN url TEXT;

-- What the last attempts to update each register brought. `checked_at` is when the publisher was last asked successfully, null if
-- never. `failures` counts the failed attempts since then, and `problem` says what the last one failed with.
CREATE TABLE source_checks (
  register TEXT PRIMARY KEY,
  attempted_at BIGINT NOT NULL,
  checked_at BIGINT,
  failures BIGINT NOT NULL,
  problem TEXT
);
