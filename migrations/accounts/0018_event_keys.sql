-- Events are found by monitor, or by their place in the journal, and never by position alone: one index less to write for each event of an
-- import. The type of an event is in its text.
CREATE TABLE monitor_events_new (
  monitor BIGINT NOT NULL,
  position BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  place BIGINT NOT NULL,
  event TEXT NOT NULL,
  PRIMARY KEY (monitor, position)
);
INSERT INTO monitor_events_new (monitor, position, generation, place, event)
  SELECT monitor, position, generation, place, event FROM monitor_events ORDER BY position;
DROP TABLE monitor_events;
ALTER TABLE monitor_events_new RENAME TO monitor_events;
CREATE INDEX monitor_events_place ON monitor_events (generation, place, position);
