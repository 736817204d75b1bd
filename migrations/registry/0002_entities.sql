-- A published import: what came in and what it did.
CREATE TABLE imports (
  generation BIGINT PRIMARY KEY,
  register TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('full', 'partial')),
  imported_at BIGINT NOT NULL,
  row_count BIGINT NOT NULL,
  added BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  delisted BIGINT NOT NULL,
  duplicates BIGINT NOT NULL,
  rejected BIGINT NOT NULL
);

-- Its files. An entity points to the one that brought its present content.
CREATE TABLE files (
  id BIGINT PRIMARY KEY,
  generation BIGINT NOT NULL,
  register TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  imported_at BIGINT NOT NULL,
  synthetic BIGINT NOT NULL
);

-- What a register holds now, so that nobody has to count millions of rows.
CREATE TABLE holdings (
  register TEXT PRIMARY KEY,
  entities BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  imported_at BIGINT NOT NULL
);

-- Column names of a source table, stored once for the millions of rows that have them.
CREATE TABLE layouts (
  id BIGINT PRIMARY KEY,
  columns TEXT NOT NULL
);

-- JSON columns hold JSON text. `source_data` is the source row: with a layout its cells, without one the record itself. `name_key` is the folded name; `content_hash` covers everything a client
-- sees of the record, so that an import knows what changed.
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  register TEXT NOT NULL,
  country_code TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  status TEXT NOT NULL,
  legal_form TEXT,
  registered_at TEXT,
  updated_at BIGINT NOT NULL,
  registrations TEXT NOT NULL,
  activities TEXT NOT NULL,
  registry TEXT NOT NULL,
  layout BIGINT,
  source_data TEXT NOT NULL,
  file_id BIGINT NOT NULL,
  place BIGINT NOT NULL,
  content_hash TEXT NOT NULL
);

CREATE INDEX entities_register ON entities (register);
