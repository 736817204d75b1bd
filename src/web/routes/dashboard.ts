import type { FastifyInstance } from 'fastify';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { setFlash, takeFlash } from '../flash.ts';
import { type Fields, registerForms } from '../forms.ts';
import { revokePage } from '../pages/revoke-key.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor } from '../visitor.ts';
import { createAccountPages, type DashboardServices } from './account-pages.ts';
import { readReturn, registerPlans } from './plans.ts';

/** The signed-in user's account: usage, keys and plan. Every change is a form, so it works without JavaScript. */
export function registerDashboard(app: FastifyInstance, services: DashboardServices): void {
  const { publicUrl, apiKeys } = services;
  const pages = createAccountPages(services);
  const { show, showProblem, signedInOnly } = pages;

  app.get(
    '/dashboard',
    signedInOnly<{ query: { checkout?: string } }>(async (request, reply, signedIn) => {
      const returned = await readReturn(request, reply, signedIn, services);
      return show(reply, signedIn, { done: takeFlash(reply, publicUrl()), ...returned });
    }),
  );
  // The address of the form that creates a key. Without this route, reloading it as a page would be a 404.
  app.get('/dashboard/keys', (_request, reply) => reply.redirect('/dashboard#keys', 303));
  app.get(
    '/dashboard/keys/:id/revoke',
    signedInOnly<KeyRequest>(async (request, reply, signedIn) => {
      const key = await findKey(signedIn.account.accountId, request.params.id);
      return sendPage(reply, revokePage(key, describeVisitor(signedIn)));
    }),
  );

  registerForms(app, services.site, (scope) => {
    scope.post(
      '/dashboard/keys',
      signedInOnly<{ body: Fields | undefined }>(async (request, reply, signedIn) => {
        try {
          const { name = '', once = '' } = request.body ?? {};
          // The name is part of it: a form that the browser kept may be used again for another key.
          const idempotencyKey = isUuid(once) ? `${once} ${name}` : undefined;
          const { result } = await apiKeys.createOnce(signedIn.account.accountId, name, idempotencyKey);
          return await show(reply, signedIn, { created: result });
        } catch (error) {
          if (error instanceof Failure && error.code === 'api_key_revoked')
            return show(reply.code(statusOf(error.code)), signedIn, { problem: KEY_REVOKED });
          return showProblem(error, reply, signedIn);
        }
      }),
    );
    scope.post(
      '/dashboard/keys/:id/revoke',
      signedInOnly<KeyRequest>(async (request, reply, signedIn) => {
        const { accountId } = signedIn.account;
        const { id, name } = await findKey(accountId, request.params.id);
        await apiKeys.revoke(accountId, id);
        return setFlash(reply, publicUrl(), 'key-revoked', name).redirect('/dashboard', 303);
      }),
    );
  });
  registerPlans(app, services, pages);

  async function findKey(accountId: string, id: string) {
    const key = (await apiKeys.list(accountId)).find((each) => each.id === id);
    if (key === undefined) throw fail('api_key_not_found');
    return key;
  }
}

/** The page that showed the secret was loaded again after the key was revoked. */
const KEY_REVOKED = 'This key has been revoked. Use the form to create another one.';

interface KeyRequest {
  readonly params: { readonly id: string };
}
