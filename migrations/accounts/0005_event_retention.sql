-- A payload may name a person, so it is removed after WEBHOOK_DAYS: `payload` is then empty, and `reduced_at` is when that
-- happened. What stays is enough to recognize a redelivery: id, kind, times and outcome.
ALTER TABLE billing_events ADD COLUMN reduced_at BIGINT;

-- Who changed a plan with `firmament billing sync --apply`. Null for events of the payment provider. Operator events are
-- kept: their payload is the state before and after the change.
ALTER TABLE billing_events ADD COLUMN operator TEXT;

-- The events that still have a payload and are applied, so that finding old ones does not read all the others.
CREATE INDEX billing_events_reducible ON billing_events (received_at)
  WHERE reduced_at IS NULL AND operator IS NULL AND outcome IS NOT NULL;
