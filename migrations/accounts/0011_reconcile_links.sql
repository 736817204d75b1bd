-- What a secret is for: 'api_key', or 'reconcile_link', which is part of an address and can only be used for reconciliation.
ALTER TABLE api_keys ADD COLUMN kind TEXT NOT NULL DEFAULT 'api_key';
