-- An entity of one register may name one of another (an LEI record its national one): `linked_id` is the other's id, which need
-- not be there. `linked_numbers` is the end of `number_keys`: the numbers of those that name this one, by which it is found too.
ALTER TABLE entities ADD COLUMN linked_id TEXT;
ALTER TABLE entities ADD COLUMN linked_numbers TEXT NOT NULL DEFAULT '';

CREATE INDEX entities_linked_id ON entities (linked_id) WHERE linked_id IS NOT NULL;
CREATE INDEX entities_linked ON entities (id) WHERE linked_numbers <> '';
