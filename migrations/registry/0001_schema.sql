-- One row. Every published import raises the generation; running servers watch it and swap to the new data.
-- `last_file` numbers the imported files; a number is reserved before its import starts and never used twice.
CREATE TABLE generation (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  generation BIGINT NOT NULL,
  published_at BIGINT,
  last_file BIGINT NOT NULL
);

INSERT INTO generation (id, generation, published_at, last_file) VALUES (1, 0, NULL, 0);

-- A published import and what it changed. `skipped` counts rows that the register documents as not being companies. `program` is the
-- version of the program that read the files: another version may read the same files differently.
CREATE TABLE imports (
  generation BIGINT PRIMARY KEY,
  register TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('full', 'partial')),
  imported_at BIGINT NOT NULL,
  program TEXT NOT NULL,
  row_count BIGINT NOT NULL,
  added BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  unchanged BIGINT NOT NULL,
  delisted BIGINT NOT NULL,
  duplicates BIGINT NOT NULL,
  rejected BIGINT NOT NULL,
  skipped BIGINT NOT NULL
);

-- The files of an import. An entity refers to the file that its current content comes from. `as_of` is the day that the publisher dates
-- the file, `YYYY-MM-DD`; null if the file does not say. `url` is the address that it was downloaded from; null if a person named the file
-- in an import. `modes` are the modes (PARTIES) in which it was imported, as JSON: the mode by set of parties, and with an empty key that
-- of parties inside records of companies. They are lowered when persons were removed.
CREATE TABLE files (
  id BIGINT PRIMARY KEY,
  generation BIGINT NOT NULL,
  register TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,
  imported_at BIGINT NOT NULL,
  synthetic BIGINT NOT NULL,
  as_of TEXT,
  url TEXT,
  modes TEXT NOT NULL
);

-- The parts of the files of an import: the file itself, an entry of an archive, or a sheet. `entry` is its name in the
-- file, null for the file itself. `table_name` is the source of the register that it was recognized as. `content` is
-- 'records' if its rows are companies, 'rows' if its rows belong to companies, 'codes' for a code table.
CREATE TABLE parts (
  generation BIGINT NOT NULL,
  part BIGINT NOT NULL,
  file_id BIGINT NOT NULL,
  entry TEXT,
  table_name TEXT NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (generation, part)
);

-- Values of an import whose meaning the register does not know, the most frequent first. A null value counts all
-- further values of the column together.
CREATE TABLE unknown_values (
  generation BIGINT NOT NULL,
  position BIGINT NOT NULL,
  kind TEXT NOT NULL,
  column_name TEXT NOT NULL,
  value TEXT,
  row_count BIGINT NOT NULL,
  PRIMARY KEY (generation, position)
);

-- The number of entities per register, so that it need not be counted over millions of rows. `listed` counts those that are not delisted.
CREATE TABLE holdings (
  register TEXT PRIMARY KEY,
  entities BIGINT NOT NULL,
  listed BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  imported_at BIGINT NOT NULL
);

-- The entities by register and country, including delisted ones.
CREATE TABLE country_holdings (
  register TEXT NOT NULL,
  country_code TEXT NOT NULL,
  entities BIGINT NOT NULL,
  PRIMARY KEY (register, country_code)
);

-- The column names of a source table, stored once for all its rows.
CREATE TABLE layouts (
  id BIGINT PRIMARY KEY,
  columns TEXT NOT NULL
);

-- The columns that the search index is built from come first, so that reading them does not touch the wide columns
-- after them. JSON columns are JSON text. `name_key` is the folded name; `number_keys` and `activity_keys` have one key
-- per line. `linked_numbers` are the numbers of the entities that link to this one; they are the last part of `number_keys`.
-- `registration_number`, `city`, `jurisdiction` and `legal_form_code` are the number of its first registration, its city, under whose law
-- it was formed, and the code of its legal form. `content_hash` covers everything that a client sees of the record, so that an import knows what changed. `source_data` is the
-- source row: its cells if it has a layout, otherwise the record itself. `origins` has the rows that a record was read from, by part; null:
-- only the row `place`, in the only part of its file that has records.
CREATE TABLE entities (
  id TEXT PRIMARY KEY,
  name_key TEXT NOT NULL,
  canonical_name TEXT NOT NULL,
  country_code TEXT NOT NULL,
  status TEXT NOT NULL,
  legal_form TEXT,
  legal_form_code TEXT,
  registered_at TEXT,
  registration_number TEXT,
  city TEXT,
  jurisdiction TEXT,
  updated_at BIGINT NOT NULL,
  number_keys TEXT NOT NULL,
  linked_numbers TEXT NOT NULL DEFAULT '',
  activity_keys TEXT NOT NULL,
  register TEXT NOT NULL,
  file_id BIGINT NOT NULL,
  place BIGINT NOT NULL,
  origins TEXT,
  content_hash TEXT NOT NULL,
  registrations TEXT NOT NULL,
  registry TEXT NOT NULL,
  layout BIGINT,
  source_data TEXT NOT NULL
);

CREATE INDEX entities_register ON entities (register);

-- Links from an entity to an entity of another register, such as from an LEI record to the national one. `to_id` may
-- refer to an entity that does not exist. `numbers` are the `number_keys` of the linking entity.
CREATE TABLE links (
  from_id TEXT PRIMARY KEY,
  to_id TEXT NOT NULL,
  numbers TEXT NOT NULL
);

CREATE INDEX links_to_id ON links (to_id);

-- The journal: what each import changed. One row per published import, in the order of publication: an import takes its
-- generation last, in the transaction that writes its changes, and holds it until the commit. So a reader that sees a
-- generation sees all before it, and changes are read in the order of `generation`, then `position`, without gaps.
-- `batch` is the number of the import's first file; `changes` is how many changes it has. `loaded` is 1 if the register was
-- empty before: then there is one change per country, of type 'loaded', and none per entity. `mixed` is 1 if there are
-- changes of entities of other registers, which happens through links.
CREATE TABLE journal (
  generation BIGINT PRIMARY KEY,
  published_at BIGINT NOT NULL,
  register TEXT NOT NULL,
  batch BIGINT NOT NULL,
  changes BIGINT NOT NULL,
  loaded BIGINT NOT NULL,
  mixed BIGINT NOT NULL
);

CREATE INDEX journal_batch ON journal (batch);

-- The journal starts at the empty store.
INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed) VALUES (0, 0, '', 0, 0, 0, 0);

-- The changes of an import, numbered from 0. `entity_id` is null if the type is 'loaded'. `fields` is a JSON list of the
-- names of the changed fields, as the API calls them. The values before are null if the entity was added. `details` is what changed in
-- fields that have no columns of their own here: a JSON list of objects with `field`, `before` and `after`, null if nothing did. With OR
-- instead of IN, the check of the type took a third of the time that SQLite needs to insert a row.
CREATE TABLE changes (
  batch BIGINT NOT NULL,
  position BIGINT NOT NULL,
  type TEXT NOT NULL CHECK
    (type = 'added' OR type = 'changed' OR type = 'delisted' OR type = 'relisted' OR type = 'loaded'),
  entity_id TEXT,
  country_code TEXT NOT NULL,
  register TEXT NOT NULL,
  fields TEXT NOT NULL,
  name_before TEXT,
  status_before TEXT,
  legal_form_before TEXT,
  registered_before TEXT,
  name_after TEXT,
  status_after TEXT,
  legal_form_after TEXT,
  registered_after TEXT,
  details TEXT,
  PRIMARY KEY (batch, position)
);

CREATE INDEX changes_entity ON changes (entity_id, batch);

-- What the last attempts to update each register brought. `checked_at` is when the publisher was last asked successfully, null if
-- never. `failures` counts the failed attempts since then, and `problem` says what the last one failed with.
CREATE TABLE source_checks (
  register TEXT PRIMARY KEY,
  attempted_at BIGINT NOT NULL,
  checked_at BIGINT,
  failures BIGINT NOT NULL,
  problem TEXT
);

-- Who is connected with companies: one row per row of the publisher's files of parties. `company` is the number of the company in its
-- register; the entity is found by it when parties are read, so the order of imports makes no difference. `party_register` and
-- `party_number` lead to the entity of the party in the same way. `is_person`: whether the party is a natural person by name, or may be
-- one. `content` is JSON: what clients see, besides these columns. `layout`, `source_data`, `file_id`, `place` and `content_hash` are as
-- in `entities`.
CREATE TABLE parties (
  id TEXT PRIMARY KEY,
  register TEXT NOT NULL,
  set_name TEXT NOT NULL,
  company TEXT NOT NULL,
  role TEXT NOT NULL,
  party_register TEXT,
  party_number TEXT,
  is_current BIGINT NOT NULL,
  is_person BIGINT NOT NULL,
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

-- Parties that were removed at somebody's request, so that later imports leave them out. `party` is a hash that contains the name and
-- the company. The name is not stored.
CREATE TABLE suppressed (
  entity_id TEXT NOT NULL,
  party TEXT NOT NULL,
  register TEXT NOT NULL,
  company TEXT NOT NULL,
  reason TEXT,
  suppressed_at BIGINT NOT NULL,
  PRIMARY KEY (entity_id, party)
);
