-- Where the events of monitors are delivered to. Secrets are encrypted with WEBHOOK_KEY. `position` is that of the last event for
-- which deliveries were created, so an endpoint that was disabled or is far behind continues where it stopped.
CREATE TABLE webhook_endpoints (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT,
  -- A JSON array. Null: all monitors of the account.
  monitor_ids TEXT,
  secret TEXT NOT NULL,
  -- The secret before the last rotation also signs until then.
  previous_secret TEXT,
  previous_ends_at BIGINT,
  position BIGINT NOT NULL,
  -- Null: enabled.
  disabled_reason TEXT,
  disabled_at BIGINT,
  -- The receiver asked for a pause with Retry-After.
  paused_until BIGINT NOT NULL,
  -- 1 if its last attempt failed: then there is one attempt at a time.
  failing BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, created_at);

-- One event for one endpoint. `id` follows from both, so an event is never added twice. `charged_period` and `charged_day` are set
-- while the quota is charged for it: a delivery that is sent again after a crash is not charged again.
CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL,
  position BIGINT NOT NULL,
  entity_id TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  -- What it costs: 0 for a test.
  units BIGINT NOT NULL,
  -- waiting, delivered or failed.
  state TEXT NOT NULL,
  -- Attempts since it was last put in the queue; `attempt_log` has the latest ones as a JSON array.
  attempts BIGINT NOT NULL,
  attempt_log TEXT NOT NULL,
  next_at BIGINT NOT NULL,
  charged_period BIGINT,
  charged_day TEXT,
  created_at BIGINT NOT NULL,
  delivered_at BIGINT
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, entity_id, position) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_history ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (created_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_prunable ON webhook_deliveries (delivered_at) WHERE state = 'delivered';

-- The events of an account in the order of their positions.
CREATE INDEX monitor_events_position ON monitor_events (monitor, position);
