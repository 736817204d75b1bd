-- An account owns keys, usage and a plan; users sign in to it. Times are epoch milliseconds, UTC.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business')),
  created_at BIGINT NOT NULL
);
