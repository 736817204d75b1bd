-- Accounts, users, secrets, metering, payments and monitors. Times are epoch milliseconds, UTC. Of session tokens, API keys and reconcile
-- links, only the SHA-256 hash is stored.

-- An account owns keys, usage and a plan; users sign in to it. `period_anchor` and `period_end` are the current period of a paid plan: its
-- start and, if the payment provider reported it, its end. Null is the calendar month.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business')),
  created_at BIGINT NOT NULL,
  period_anchor BIGINT,
  period_end BIGINT
);

-- A user is identified by issuer and subject; an e-mail address may change, be shared or be missing.
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  email TEXT,
  name TEXT,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  created_at BIGINT NOT NULL,
  UNIQUE (issuer, subject)
);

CREATE TABLE sessions (
  token_hash TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id),
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
CREATE INDEX sessions_last_seen_at ON sessions (last_seen_at);
CREATE INDEX sessions_user ON sessions (user_id, last_seen_at);

-- The secret that signs pending sign-ins in the cookies of browsers, so that every server and thread can finish what another one
-- started. It has one row, which the first sign-in creates.
CREATE TABLE sign_in_key (
  id INTEGER PRIMARY KEY,
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- `kind` is what a secret is for: 'api_key', or 'reconcile_link', which is part of an address and can only be used for reconciliation.
-- `expires_at` is when a rotated secret stops working, a whole minute; null: it works until it is revoked. `can_manage`: whether an API
-- key may change monitors and webhook endpoints: 1, or 0 for a key that only reads.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT,
  expires_at BIGINT,
  can_manage BIGINT NOT NULL
);
CREATE INDEX api_keys_account_id ON api_keys (account_id);

-- What was made with an Idempotency-Key, so that a repeated request makes nothing. `id` is a hash of the account, the operation and the
-- key. No reply is stored, because it may have a secret.
CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY,
  resource_id TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);

-- The latest one-minute window of each key. `granted` is how many requests the last statement admitted; `most` is the
-- limit it applied.
CREATE TABLE rate_windows (
  key_id TEXT PRIMARY KEY,
  minute BIGINT NOT NULL,
  used BIGINT NOT NULL,
  granted BIGINT NOT NULL,
  most BIGINT NOT NULL
);

-- Requests of an account in a billing period, for all its keys together; `granted` and `most` as above.
CREATE TABLE quotas (
  account_id TEXT NOT NULL,
  period_start BIGINT NOT NULL,
  used BIGINT NOT NULL,
  granted BIGINT NOT NULL,
  most BIGINT NOT NULL,
  PRIMARY KEY (account_id, period_start)
);

-- Requests of a key on a day (UTC, as YYYY-MM-DD), and when it was last used.
CREATE TABLE usage_daily (
  key_id TEXT NOT NULL,
  day TEXT NOT NULL,
  account_id TEXT NOT NULL,
  requests BIGINT NOT NULL,
  last_used_at BIGINT NOT NULL,
  PRIMARY KEY (key_id, day)
);

CREATE INDEX usage_daily_account ON usage_daily (account_id, day);

-- A customer of the payment provider, and the account it pays for once that is known.
CREATE TABLE billing_customers (
  id TEXT PRIMARY KEY,
  account_id TEXT REFERENCES accounts (id),
  linked_at BIGINT NOT NULL
);
CREATE INDEX billing_customers_account ON billing_customers (account_id);

-- Every signed event of the payment provider, unchanged. `created` is in whole seconds of the provider's clock. `outcome` is null until it
-- has been applied. A payload may name a person, so it is removed after WEBHOOK_DAYS: `payload` is then empty, and `reduced_at` is when that
-- happened. What stays is enough to recognize a redelivery: id, kind, times and outcome.
CREATE TABLE billing_events (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  created BIGINT NOT NULL,
  received_at BIGINT NOT NULL,
  payload TEXT NOT NULL,
  customer_id TEXT,
  subscription_id TEXT,
  account_id TEXT,
  outcome TEXT,
  applied_at BIGINT,
  reduced_at BIGINT
);
CREATE INDEX billing_events_received ON billing_events (received_at);
CREATE INDEX billing_events_customer ON billing_events (customer_id);
-- The events that still have a payload and are applied, and those that are stored but not applied, without reading all others.
CREATE INDEX billing_events_reducible ON billing_events (received_at) WHERE reduced_at IS NULL AND outcome IS NOT NULL;
CREATE INDEX billing_events_unapplied ON billing_events (received_at, id) WHERE outcome IS NULL;

-- The latest known state of each subscription. `as_of` (whole seconds of the provider's clock) and `event_rank` are its position in time:
-- older states do not overwrite it. `revision` counts the writes. `unsettled` is 1 while two events of the same second and rank contradict
-- each other and the provider could not be asked.
CREATE TABLE subscriptions (
  id TEXT PRIMARY KEY,
  customer_id TEXT,
  account_id TEXT REFERENCES accounts (id),
  status TEXT NOT NULL,
  plan TEXT,
  period_start BIGINT,
  period_end BIGINT,
  cancel_at_period_end BIGINT NOT NULL,
  as_of BIGINT NOT NULL,
  event_rank BIGINT NOT NULL,
  event_id TEXT,
  revision BIGINT NOT NULL,
  unsettled BIGINT NOT NULL
);
CREATE INDEX subscriptions_account ON subscriptions (account_id);
CREATE INDEX subscriptions_customer ON subscriptions (customer_id);
CREATE INDEX subscriptions_unsettled ON subscriptions (unsettled);

-- Work that only one process of a cluster does at a time. The owner renews its lease before it expires, in milliseconds by the clock
-- of the database. It is in this store because an import locks the registry of SQLite until it ends.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);

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

-- The place in the journal up to which changes were compared with all monitors, and the position of the last event. Every change of a
-- monitor or its companies locks this row first, so it takes effect exactly at `cursor`. `revision` increases when monitors, but
-- not their companies, change. `cursor` is null before the first run.
CREATE TABLE monitor_pass (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  cursor TEXT,
  position BIGINT NOT NULL,
  last_number BIGINT NOT NULL,
  revision BIGINT NOT NULL
);

INSERT INTO monitor_pass (id, cursor, position, last_number, revision) VALUES (1, NULL, 0, 0, 0);

-- The changes that monitors report, written in the transaction that moves `monitor_pass.cursor`. An event names its change: the import
-- (`generation`, `published_at`) and the number of its changes up to this one (`place`). The text of the change stays in the journal, which
-- is kept as long. `type` is null if it is that of the change. Events are found by monitor, or by their place in the journal.
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

-- Where the events of monitors are delivered to. Secrets are encrypted with WEBHOOK_KEY. `position` is that of the last event for
-- which deliveries were created, so an endpoint that was disabled or is far behind continues where it stopped. An endpoint that is deleted
-- stays, invisible, until its deliveries are removed in batches.
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
  created_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, created_at);
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (deleted_at) WHERE deleted_at IS NOT NULL;

-- One event for one endpoint. `id` follows from both, so an event is never added twice. `charged_period` and `charged_day` are set
-- while the quota is charged for it: a delivery that is sent again after a crash is not charged again. `sent_at`: when the first bytes
-- were sent, or may have been sent by a server that ended before it recorded the attempt. From then on its charge stays. A charge without
-- it: a server is about to send it.
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
  delivered_at BIGINT,
  sent_at BIGINT
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_order ON webhook_deliveries (endpoint_id, entity_id, position) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_history ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (created_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_prunable ON webhook_deliveries (delivered_at) WHERE state = 'delivered';
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (created_at) WHERE units = 0;

-- Addresses that get the changes of a monitor by e-mail. `rhythm`: immediate or daily. `state`: new (its confirmation is to be sent), asked,
-- active, stopped (by its reader), refused (by its mail server), or removed: without its address, it counts towards the limit of the day.
-- `token` is part of the links in its e-mails, and can only confirm or stop them. `position` is that of the last event that it has reported.
CREATE TABLE monitor_alerts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  monitor BIGINT NOT NULL,
  address TEXT NOT NULL,
  rhythm TEXT NOT NULL,
  state TEXT NOT NULL,
  token TEXT NOT NULL UNIQUE,
  position BIGINT NOT NULL,
  next_at BIGINT NOT NULL,
  failures BIGINT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX monitor_alerts_monitor ON monitor_alerts (monitor);
CREATE INDEX monitor_alerts_account ON monitor_alerts (account_id, created_at);
CREATE INDEX monitor_alerts_due ON monitor_alerts (next_at) WHERE state = 'new' OR state = 'active';

-- What servers have noticed about themselves on each day (days since the Unix epoch, UTC): starts, checks of readiness and how many found the
-- service ready, and the most registers whose data was overdue at once.
CREATE TABLE service_days (
  day BIGINT PRIMARY KEY,
  starts BIGINT NOT NULL,
  checks BIGINT NOT NULL,
  ready BIGINT NOT NULL,
  overdue BIGINT NOT NULL
);

-- What is published in an external search engine: see src/search/clickhouse/store.ts. One row per layout of its tables.
CREATE TABLE search_publications (
  layout BIGINT PRIMARY KEY,
  numbers BIGINT NOT NULL,
  build BIGINT NOT NULL DEFAULT 0,
  publication BIGINT NOT NULL DEFAULT 0,
  skipped TEXT NOT NULL DEFAULT '[]',
  version TEXT NOT NULL DEFAULT '',
  rows_published BIGINT NOT NULL DEFAULT 0,
  entities BIGINT NOT NULL DEFAULT 0,
  limits TEXT NOT NULL DEFAULT '[]'
);
