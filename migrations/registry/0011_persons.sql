-- Whether a party is a natural person by name, or may be one. Earlier releases stored organisations only.
ALTER TABLE parties ADD COLUMN is_person BIGINT NOT NULL DEFAULT 0;

-- The modes (PARTIES) in which the file was imported, as JSON: the mode by set of parties, and with an empty key that of parties inside
-- records of companies. It is lowered when persons were removed. Null for files from before this column, whose records name persons.
ALTER TABLE files ADD COLUMN modes TEXT;

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
