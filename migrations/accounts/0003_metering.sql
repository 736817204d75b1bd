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
