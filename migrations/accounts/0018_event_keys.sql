-- An event names its change: the import (`generation`, `published_at`) and the number of its changes up to this one (`place`). The text of
-- the change stays in the journal, which is kept as long. `type` is null if it is that of the change. Events are found by monitor, or by
-- their place in the journal. Monitors were not released before this migration, so there are no events to keep.
DROP TABLE monitor_events;
CREATE TABLE monitor_events (
  monitor BIGINT NOT NULL,
  position BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  place BIGINT NOT NULL,
  type TEXT,
  PRIMARY KEY (monitor, position)
);
CREATE INDEX monitor_events_place ON monitor_events (generation, place, position);
