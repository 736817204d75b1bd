-- Who is connected with companies: one row per row of the publisher's files of parties. `company` is the number of the company in its
-- register; the entity is found by it when parties are read, so the order of imports makes no difference. `party_register` and
-- `party_number` lead to the entity of the party in the same way. `content` is JSON: what clients see, besides these columns.
-- `layout`, `source_data`, `file_id`, `place` and `content_hash` are as in `entities`.
CREATE TABLE parties (
  id TEXT PRIMARY KEY,
  register TEXT NOT NULL,
  set_name TEXT NOT NULL,
  company TEXT NOT NULL,
  role TEXT NOT NULL,
  party_register TEXT,
  party_number TEXT,
  is_current BIGINT NOT NULL,
  valid_from TEXT,
  valid_until TEXT,
  content TEXT NOT NULL,
  file_id BIGINT NOT NULL,
  place BIGINT NOT NULL,
  content_hash TEXT NOT NULL,
  layout BIGINT,
  source_data TEXT NOT NULL
);

CREATE INDEX parties_company ON parties (company, register);
CREATE INDEX parties_party ON parties (party_number, party_register) WHERE party_number IS NOT NULL;

-- The sets of parties that a register publishes, such as relationships and exceptions. `generation` is the import that last read a
-- file of the set, `parties` how many rows the set has.
CREATE TABLE party_sets (
  register TEXT NOT NULL,
  set_name TEXT NOT NULL,
  generation BIGINT NOT NULL,
  mode TEXT NOT NULL,
  parties BIGINT NOT NULL,
  PRIMARY KEY (register, set_name)
);
