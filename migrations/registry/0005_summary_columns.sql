-- What an entity is recognized and filtered by: the number of its first registration, its city, and the code of its legal
-- form. Records have none of them until they are imported again.
ALTER TABLE entities ADD COLUMN registration_number TEXT;
ALTER TABLE entities ADD COLUMN city TEXT;
ALTER TABLE entities ADD COLUMN legal_form_code TEXT;

-- The search engine in PostgreSQL creates its indexes itself when it starts (src/search/postgres-indexes.ts). These have a
-- new definition or are not used any more.
DROP INDEX IF EXISTS entities_order;
DROP INDEX IF EXISTS entities_country_order;
DROP INDEX IF EXISTS entities_form_order;
DROP INDEX IF EXISTS entities_country_form;
DROP INDEX IF EXISTS entities_size;
