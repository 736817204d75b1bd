import Type from 'typebox';
import { countExcess, requestsOfAllKeys } from '../base/plans.ts';
import { usageWarnings } from '../base/usage.ts';
import { component, count, flag, formatInstant, instant, listOf, orNull, replyOf, text, uuid } from './fields.ts';
import { ApiKey, describeKey } from './named-secrets.ts';
import { ApiPlan } from './public.ts';
import { accountOperation } from './serving/account-operation.ts';
import { json } from './serving/answers.ts';

const User = component('User', 'The signed-in user.', {
  id: Type.String({ format: 'uuid' }),
  email: orNull.text('E-mail address from the identity provider, if it provides one.', 'anna@example.com'),
  name: orNull.text('Name from the identity provider, if it provides one.', 'Anna'),
  accountId: uuid('The account that the user belongs to.'),
});

const Usage = component('Usage', 'Usage in the current billing period.', {
  periodStart: Type.String({ format: 'date-time', examples: ['2026-09-01T00:00:00.000Z'] }),
  periodEnd: instant('When the quota resets.', '2026-10-01T00:00:00.000Z'),
  used: count('Requests charged in this period.', 14),
  limit: count('Requests included in this period.', 1_000),
  remaining: count('Requests left in this period.', 986),
  warning: orNull.choice(
    [...usageWarnings],
    '`quota_nearly_used` from 80% of the quota, `quota_used` when no request is left until `periodEnd`. `null` below 80%.',
  ),
  daily: listOf(
    Type.Object({ date: Type.String({ format: 'date' }), requests: Type.Integer({ minimum: 0, examples: [14] }) }),
    'Requests per day (UTC), from the first to the last day of the period. Days without requests may be missing. After a ' +
      'change of plan, a day can include requests that were charged to the previous period, so that the sum is more than `used`.',
  ),
  previous: orNull.object(
    'The period before, which a new subscription may have ended early: its count does not continue in the current one. ' +
      '`null` if nothing was charged to it.',
    {
      periodStart: Type.String({ format: 'date-time', examples: ['2026-08-01T00:00:00.000Z'] }),
      periodEnd: instant('When the current period started.', '2026-09-01T00:00:00.000Z'),
      used: count('Requests charged in that period.', 950),
    },
  ),
});

const Billing = component('Billing', 'State of the subscription.', {
  status: text(
    'Status of the subscription, as last reported by a signed event of the payment provider, or `none` without a subscription.',
    'active',
  ),
  currentPeriodEnd: orNull.instant(
    'End of the paid period. It is in the past until the event of the renewal arrives. `null` without a subscription, and as ' +
      'soon as it has ended or does not entitle to a plan, for example after an immediate cancellation.',
  ),
  cancelAtPeriodEnd: flag(
    'Whether the subscription is cancelled and ends with the paid period. False as soon as it has ended.',
  ),
  portalAvailable: flag(
    'Whether you can open the customer portal. True on every server with a payment provider, even for accounts without a ' +
      'subscription.',
  ),
});

const Account = component('Account', 'A developer account.', {
  id: Type.String({ format: 'uuid' }),
  plan: ApiPlan,
  usage: Usage,
  billing: Billing,
  apiKeys: listOf(ApiKey, 'Active API keys, oldest first.'),
  excessApiKeys: orNull.count(
    'How many active API keys the account has above `plan.maxApiKeys`, after a change to a smaller plan. They keep working, and no ' +
      'new one can be created. `null` if there are none.',
    19,
  ),
  requestsPerMinuteOfAllKeys: orNull.count(
    'How many requests per minute all API keys of the account may send together, however many there are: ' +
      '`plan.requestsPerMinute` × `plan.maxApiKeys`.',
    60,
  ),
});

const own = { tag: 'Account', credential: 'session' } as const;

export const account = [
  accountOperation({
    ...own,
    url: '/api/v1/account',
    operationId: 'getAccount',
    summary: 'Retrieve the account',
    description: 'Returns the plan, the usage in the current billing period, the subscription and the active API keys.',
    reply: json('The account.', replyOf('AccountReply', Account)),
    async answer(_given, { api, account }) {
      const [usage, billing, apiKeys] = await Promise.all([
        api.meter.readUsage(account),
        api.billing.readBilling(account.accountId),
        api.apiKeys.list(account.accountId),
      ]);
      return {
        data: {
          id: account.accountId,
          plan: account.plan,
          usage: {
            ...usage,
            periodStart: formatInstant(usage.periodStart),
            periodEnd: formatInstant(usage.periodEnd),
            daily: [...usage.daily],
            previous: usage.previous && {
              ...usage.previous,
              periodStart: formatInstant(usage.previous.periodStart),
              periodEnd: formatInstant(usage.previous.periodEnd),
            },
          },
          billing: { ...billing, currentPeriodEnd: formatInstant(billing.currentPeriodEnd) },
          apiKeys: apiKeys.map(describeKey),
          excessApiKeys: countExcess(account.plan, apiKeys) || null,
          requestsPerMinuteOfAllKeys: requestsOfAllKeys(account.plan),
        },
      };
    },
  }),
  accountOperation({
    ...own,
    url: '/api/v1/auth/me',
    operationId: 'getMe',
    summary: 'Retrieve the signed-in user',
    description: 'Returns the profile of the signed-in user, as provided by the identity provider.',
    reply: json('The user.', replyOf('UserReply', User)),
    async answer(_given, { user, account }) {
      return { data: { ...user, accountId: account.accountId } };
    },
  }),
];
