-- What the payment provider told us, and what follows from it. Times are epoch milliseconds, but for `created` and `as_of`,
-- which are the provider's own whole seconds.

-- A customer of the provider, and the account it pays for as soon as that is known.
CREATE TABLE billing_customers (
  id TEXT PRIMARY KEY,
  account_id TEXT REFERENCES accounts (id),
  linked_at BIGINT NOT NULL
);
CREATE INDEX billing_customers_account ON billing_customers (account_id);

-- Every signed event, kept as it came. `outcome` is null until it has been applied.
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

-- The latest known state of each subscription. `as_of` and `event_rank` are its place in time: what comes from an earlier
-- place does not overwrite it. `revision` counts the writes; `unsettled` is 1 while two events of one second and rank
-- contradict each other and the provider could not be asked.
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
