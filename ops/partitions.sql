-- Divides the table of entities into four partitions by the hash of the id. Run it after "firmament migrate" and before the first
-- import, as the owner of the tables. docs/operations.md ("PostgreSQL") says more.
SET search_path = registry;
ALTER TABLE entities RENAME TO whole;
CREATE TABLE entities (LIKE whole INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE entities_0 PARTITION OF entities FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE entities_1 PARTITION OF entities FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE entities_2 PARTITION OF entities FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE entities_3 PARTITION OF entities FOR VALUES WITH (MODULUS 4, REMAINDER 3);
DROP TABLE whole;
CREATE INDEX entities_register ON entities (register);
