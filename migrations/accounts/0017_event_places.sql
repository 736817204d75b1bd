-- Events are written in the order of the journal, so a place in the journal is a position, and a monitor needs one index instead of two.
-- Each event of an import with many watched companies would change another page of both; this index only grows at its end.
CREATE INDEX monitor_events_place ON monitor_events (generation, place, position);
DROP INDEX monitor_events_monitor;
