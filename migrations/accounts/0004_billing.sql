-- The payment provider's events and the state they lead to. Times are epoch milliseconds, except `created` and `as_of`,
-- which are whole seconds of the provider's clock.

-- A customer of the provider, and the account it pays for once that is known.
CREATE TABLE billing_customers (
  id TEXT PRIMARY KEY,
  account_id TEXT REFERENCES accounts (id),
  linked_at BIGINT NOT NULL
);
CREATE INDEX billing_customers_account ON billing_customers (account_id);

-- Every signed event, unchanged. `outcome` is null until it has been applied.
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
  applied_at BIGINT
);
CREATE INDEX billing_events_received ON billing_events (received_at);
CREATE INDEX billing_events_customer ON billing_events (customer_id);

-- The latest known state of each subscription. `as_of` and `event_rank` are its position in time: older states do not
-- overwrite it. `revision` counts the writes. `unsettled` is 1 while two events of the same second and rank contradict
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
