-- Whether an API key may change monitors and webhook endpoints: 1, or 0 for a key that only reads.
ALTER TABLE api_keys ADD COLUMN can_manage BIGINT NOT NULL DEFAULT 0;
