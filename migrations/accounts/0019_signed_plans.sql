-- A plan changes only after a signed event: no time ends it, the provider's answers do not change it, and no operator does.
DROP INDEX accounts_plan_ends;
ALTER TABLE accounts DROP COLUMN plan_ends_at;
DROP INDEX subscriptions_check;
ALTER TABLE subscriptions DROP COLUMN check_at;
ALTER TABLE subscriptions DROP COLUMN confirmed_at;
ALTER TABLE subscriptions DROP COLUMN cancel_at;
DROP INDEX billing_events_reducible;
DELETE FROM billing_events WHERE operator IS NOT NULL;
ALTER TABLE billing_events DROP COLUMN operator;
CREATE INDEX billing_events_reducible ON billing_events (received_at) WHERE reduced_at IS NULL AND outcome IS NOT NULL;
