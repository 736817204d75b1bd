-- What is looked for at every sign-in and every 30 seconds is found without reading the whole table: sessions that were not
-- used for long, the sessions of one user, and payment events that are stored but not applied.
CREATE INDEX sessions_last_seen_at ON sessions (last_seen_at);
CREATE INDEX sessions_user ON sessions (user_id, last_seen_at);
CREATE INDEX billing_events_unapplied ON billing_events (received_at, id) WHERE outcome IS NULL;
