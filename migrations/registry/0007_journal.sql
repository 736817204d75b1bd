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

-- The journal starts after the data that is in the store now.
INSERT INTO journal (generation, published_at, register, batch, changes, loaded, mixed)
  SELECT generation, coalesce(published_at, 0), '', 0, 0, 0, 0 FROM generation;

-- The changes of an import, numbered from 0. `entity_id` is null if the type is 'loaded'. `fields` is a JSON list of the
-- names of the changed fields, as the API calls them. The values before are null if the entity was added. With IN instead
-- of OR, the check of the type took a third of the time that SQLite needs to insert a row.
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
  PRIMARY KEY (batch, position)
);

CREATE INDEX changes_entity ON changes (entity_id, batch);
