-- Work that only one process of a cluster does at a time. The owner renews its lease before it expires, in milliseconds by the clock
-- of the database. It is in this store because an import locks the registry of SQLite until it ends.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
