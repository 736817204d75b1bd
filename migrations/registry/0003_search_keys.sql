-- Adds the texts that a record is searched by (src/core/search-keys.ts), which only an import can write. No release had
-- records without them, so data imported by a development version is dropped and has to be imported again.
DROP TABLE entities;
DELETE FROM holdings;
UPDATE generation SET generation = generation + 1 WHERE id = 1 AND generation > 0;

-- The columns that the search index is built from come first, so that reading them does not touch the wide columns
-- after them. JSON columns are JSON text. `name_key` is the folded name; `number_keys` and `activity_keys` have one key
-- per line. `source_data` is the source row: its cells if it has a layout, otherwise the record itself. `content_hash`
-- covers everything that a client sees of the record, so that an import knows what changed.
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  name_key TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  country_code TEXT NOT NULL,
  status TEXT NOT NULL,
  legal_form TEXT,
  registered_at TEXT,
  updated_at BIGINT NOT NULL,
  number_keys TEXT NOT NULL,
  activity_keys TEXT NOT NULL,
  register TEXT NOT NULL,
  file_id BIGINT NOT NULL,
  place BIGINT NOT NULL,
  content_hash TEXT NOT NULL,
  registrations TEXT NOT NULL,
  registry TEXT NOT NULL,
  layout BIGINT,
  source_data TEXT NOT NULL
);

CREATE INDEX entities_register ON entities (register);
