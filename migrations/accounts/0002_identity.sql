-- Users, their sessions and API keys. Of session tokens and API keys, only the SHA-256 hash is stored.

-- The current period of a paid plan: its start and, if the payment provider reported it, its end. Null is the calendar
-- month.
ALTER TABLE accounts ADD COLUMN period_anchor BIGINT;
ALTER TABLE accounts ADD COLUMN period_end BIGINT;

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

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE INDEX api_keys_account_id ON api_keys (account_id);
