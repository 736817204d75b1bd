-- When a rotated secret stops working, a whole minute in epoch milliseconds. Null: it works until it is revoked.
ALTER TABLE api_keys ADD COLUMN expires_at BIGINT;
