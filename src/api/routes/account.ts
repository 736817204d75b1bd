import Type from 'typebox';
import { countExcess, requestsOfAllKeys } from '../../base/plans.ts';
import type { Routes } from '../../http/app.ts';
import type { AppServices } from '../app-services.ts';
import { Account, User } from '../schemas/account.ts';
import { answers, json } from '../serving/answers.ts';
import { sessionCodes, signedInOf } from '../serving/session.ts';
import { describeKey } from './named-secrets.ts';

export function registerAccount(app: Routes, services: AppServices): void {
  app.route({
    method: 'GET',
    url: '/api/v1/account',
    operation: {
      operationId: 'getAccount',
      tag: 'Account',
      summary: 'Retrieve the account',
      description:
        'Returns the plan, the usage in the current billing period, the subscription and the active API keys.',
      authentication: 'session',
    },
    schema: {
      response: answers(
        { 200: json('The account.', Type.Object({ data: Account }, { $id: 'AccountReply' })) },
        ...sessionCodes,
      ),
    },
    handler: async (request) => {
      const { account } = signedInOf(request);
      const [usage, billing, apiKeys] = await Promise.all([
        services.meter.readUsage(account),
        services.billing.readBilling(account.accountId),
        services.apiKeys.list(account.accountId),
      ]);
      return {
        data: {
          id: account.accountId,
          plan: account.plan,
          usage: {
            ...usage,
            periodStart: toText(usage.periodStart),
            periodEnd: toText(usage.periodEnd),
            daily: [...usage.daily],
            previous: usage.previous && {
              ...usage.previous,
              periodStart: toText(usage.previous.periodStart),
              periodEnd: toText(usage.previous.periodEnd),
            },
          },
          billing: {
            ...billing,
            currentPeriodEnd: billing.currentPeriodEnd === null ? null : toText(billing.currentPeriodEnd),
          },
          apiKeys: apiKeys.map(describeKey),
          excessApiKeys: countExcess(account.plan, apiKeys) || null,
          requestsPerMinuteOfAllKeys: requestsOfAllKeys(account.plan),
        },
      };
    },
  });

  app.route({
    method: 'GET',
    url: '/api/v1/auth/me',
    operation: {
      operationId: 'getMe',
      tag: 'Account',
      summary: 'Retrieve the signed-in user',
      description: 'Returns the profile of the signed-in user, as provided by the identity provider.',
      authentication: 'session',
    },
    schema: {
      response: answers({ 200: json('The user.', Type.Object({ data: User }, { $id: 'UserReply' })) }, ...sessionCodes),
    },
    handler: async (request) => {
      const { user, account } = signedInOf(request);
      return { data: { ...user, accountId: account.accountId } };
    },
  });
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}
