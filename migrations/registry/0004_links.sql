-- Links from an entity to an entity of another register, such as from an LEI record to the national one. `to_id` may
-- refer to an entity that does not exist. `numbers` are the `number_keys` of the linking entity.
CREATE TABLE links (
  from_id TEXT PRIMARY KEY,
  to_id TEXT NOT NULL,
  numbers TEXT NOT NULL
);

CREATE INDEX links_to_id ON links (to_id);

-- The numbers of the entities that link to this one; search finds it by them, too. They are the last part of
-- `number_keys`.
ALTER TABLE entities ADD COLUMN linked_numbers TEXT NOT NULL DEFAULT '';
