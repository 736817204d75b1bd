-- A published import and what it changed.
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

-- The files of an import. An entity refers to the file that its current content comes from.
CREATE TABLE files (
  id BIGINT PRIMARY KEY,
  generation BIGINT NOT NULL,
  register TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  imported_at BIGINT NOT NULL,
  synthetic BIGINT NOT NULL
);

-- The number of entities per register, so that it need not be counted over millions of rows.
CREATE TABLE holdings (
  register TEXT PRIMARY KEY,
  entities BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  imported_at BIGINT NOT NULL
);

-- The column names of a source table, stored once for all its rows.
CREATE TABLE layouts (
  id BIGINT PRIMARY KEY,
  columns TEXT NOT NULL
);

-- JSON columns are JSON text. `name_key` is the folded name. `source_data` is the source row: its cells if it has a
-- layout, otherwise the record itself. `content_hash` covers everything that a client sees of the record, so that an
-- import knows what changed.
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
