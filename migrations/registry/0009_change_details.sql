-- What changed in fields that have no columns of their own here: a JSON list of objects with `field`, `before` and `after`. Null if
-- nothing did, if the record was added, and for changes from before this column.
ALTER TABLE changes ADD COLUMN details TEXT;
