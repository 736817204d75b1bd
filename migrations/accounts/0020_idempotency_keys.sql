-- What was made with an Idempotency-Key, so that a repeated request makes nothing. `id` is a hash of the account, the operation and the
-- key. No reply is stored, because it may have a secret.
DROP TABLE idempotent_replies;
CREATE TABLE idempotency_keys (
  id TEXT PRIMARY KEY,
  resource_id TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_expires_at ON idempotency_keys (expires_at);
