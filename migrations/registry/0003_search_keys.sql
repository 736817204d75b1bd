-- Every record gets the texts it is searched by (src/core/search-keys.ts), which only an import can write. No release has
-- held records without them, so what a development version imported is dropped and has to be imported again.
DROP TABLE entities;
DELETE FROM holdings;
UPDATE generation SET generation = generation + 1 WHERE id = 1 AND generation > 0;

-- What an index is built from comes first, so that reading it does not touch the wide columns behind. JSON columns hold JSON
-- text. `name_key` is the folded name; `number_keys` and `activity_keys` are lines; `source_data` is the source row: with a
-- layout its cells, without one the record itself. `content_hash` covers everything a client sees of the record, so that an
-- import knows what changed.
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
