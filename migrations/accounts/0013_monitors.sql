-- Monitors (docs/decisions/0038-monitors.md): the companies whose changes an account wants to know. `search` is null for a list of
-- companies, otherwise the parameters of a saved search as JSON. `types` and `fields` are JSON lists of what counts; `fields` is null if
-- any field does. `entities` is the number of rows in `monitor_entities`. The monitor reports changes after `start_cursor`, none of
-- which is in the import `since` or an earlier one. `problem` says why a monitor has stopped. A deleted monitor stays until its other
-- rows are removed.
CREATE TABLE monitors (
  number BIGINT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  search TEXT,
  types TEXT NOT NULL,
  fields TEXT,
  entities BIGINT NOT NULL,
  start_cursor TEXT NOT NULL,
  since BIGINT NOT NULL,
  feed_hash TEXT UNIQUE,
  problem TEXT,
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);

CREATE INDEX monitors_account ON monitors (account_id);

-- The companies of a list, or those that match a saved search.
CREATE TABLE monitor_entities (
  entity_id TEXT NOT NULL,
  monitor BIGINT NOT NULL,
  PRIMARY KEY (entity_id, monitor)
);

CREATE INDEX monitor_entities_monitor ON monitor_entities (monitor, entity_id);

-- The place in the journal up to which changes were compared with all monitors, and the position of the last event. Whoever changes a
-- monitor or its companies locks this row first, so a change takes effect exactly at `cursor`. `revision` increases when monitors, but
-- not their companies, change. `cursor` is null before the first run.
CREATE TABLE monitor_pass (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  cursor TEXT,
  position BIGINT NOT NULL,
  last_number BIGINT NOT NULL,
  revision BIGINT NOT NULL
);

INSERT INTO monitor_pass (id, cursor, position, last_number, revision) VALUES (1, NULL, 0, 0, 0);

-- The changes that monitors report, written in the transaction that moves `monitor_pass.cursor`. `generation` and `place` are the cursor
-- of the change: the import, and the number of its changes up to this one. `event` is the change as the API shows it, as JSON.
CREATE TABLE monitor_events (
  position BIGINT PRIMARY KEY,
  monitor BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  place BIGINT NOT NULL,
  type TEXT NOT NULL,
  event TEXT NOT NULL
);

CREATE INDEX monitor_events_monitor ON monitor_events (monitor, generation, place);
