-- Replies to requests with an Idempotency-Key, so that a repeated request gets the same reply and changes nothing. `id` is derived
-- from the account, the operation and the key, which is not stored. `reply` is encrypted with a secret that is derived from the
-- same key. The secret of an API key is not in it, only the salt from which the client's key makes it again.
CREATE TABLE idempotent_replies (
  id TEXT PRIMARY KEY,
  request_hash TEXT NOT NULL,
  reply TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX idempotent_replies_expires_at ON idempotent_replies (expires_at);
