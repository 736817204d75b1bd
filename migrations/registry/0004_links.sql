-- An entity of one register may name one of another, as an LEI record its national one: `to_id` is the other's id, which need not
-- be there; `numbers` are the `number_keys` of the one that names it.
CREATE TABLE links (
  from_id TEXT PRIMARY KEY,
  to_id TEXT NOT NULL,
  numbers TEXT NOT NULL
);

CREATE INDEX links_to_id ON links (to_id);

-- The end of `number_keys`: the numbers of those that name this entity, by which it is found too.
ALTER TABLE entities ADD COLUMN linked_numbers TEXT NOT NULL DEFAULT '';
