import Type from 'typebox';
import { answers, json } from '../answers.ts';
import type { App } from '../app-type.ts';
import { User } from '../schemas/account.ts';
import { type RequireSession, sessionCodes, signedInOf } from '../session.ts';

export function registerMe(app: App, requireSession: RequireSession): void {
  app.get(
    '/api/v1/auth/me',
    {
      config: {
        operation: {
          operationId: 'getMe',
          tag: 'Account',
          summary: 'Retrieve the signed-in user',
          description: 'Returns the profile of the signed-in user, as provided by the identity provider.',
          authentication: 'session',
        },
      },
      onRequest: requireSession,
      schema: {
        response: answers(
          { 200: json('The user.', Type.Object({ data: User }, { $id: 'UserReply' })) },
          ...sessionCodes,
        ),
      },
    },
    async (request) => {
      const { user, account } = signedInOf(request);
      return { data: { ...user, accountId: account.accountId } };
    },
  );
}
