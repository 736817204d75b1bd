-- When a paid plan ends unless a newer event or answer of the payment provider extends it. Null: no paid plan, or not known
-- yet. From this instant on, the account is on the free plan, whatever `plan` says.
ALTER TABLE accounts ADD COLUMN plan_ends_at BIGINT;
CREATE INDEX accounts_plan_ends ON accounts (plan_ends_at) WHERE plan_ends_at IS NOT NULL;

-- `cancel_at`: when a cancelled subscription ends. `confirmed_at`: when its state was received, as an event or as an answer of
-- the provider; null if that was before this migration. `check_at`: when to ask the provider about a live subscription that no
-- event has renewed.
ALTER TABLE subscriptions ADD COLUMN cancel_at BIGINT;
ALTER TABLE subscriptions ADD COLUMN confirmed_at BIGINT;
ALTER TABLE subscriptions ADD COLUMN check_at BIGINT;
CREATE INDEX subscriptions_check ON subscriptions (check_at) WHERE check_at IS NOT NULL;

-- The default grace is three days. A subscription without a reported end is taken to run for a month from its last event.
UPDATE subscriptions SET cancel_at = period_end WHERE cancel_at_period_end = 1;
UPDATE subscriptions SET check_at = coalesce(period_end, (as_of + 2678400) * 1000) + 259200000
  WHERE status IN ('active', 'trialing', 'past_due');

-- Plans whose subscriptions are all cancelled end at once if their time is over. All others get their end from the next
-- event, or from the check.
UPDATE accounts SET plan_ends_at = (
    SELECT max(s.cancel_at) FROM subscriptions s
    WHERE s.account_id = accounts.id AND s.plan = accounts.plan AND s.status IN ('active', 'trialing', 'past_due'))
  WHERE plan <> 'free' AND NOT EXISTS (
    SELECT 1 FROM subscriptions s WHERE s.account_id = accounts.id AND s.plan = accounts.plan
    AND s.status IN ('active', 'trialing', 'past_due') AND s.cancel_at IS NULL);
