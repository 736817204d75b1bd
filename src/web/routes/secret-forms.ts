import type { CreatedSecret, NamedSecrets } from '../../accounts/named-secrets.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Routes } from '../../transport/app.ts';
import { setFlash } from '../flash.ts';
import { registerAccountForms } from '../forms.ts';
import { revokePage } from '../pages/removal.ts';
import { ENDS, rotatePage } from '../pages/rotate-secret.ts';
import { keyTexts, linkTexts, type SecretTexts } from '../parts/account/secrets-section.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor } from '../visitor.ts';
import type { AccountPages, DashboardServices } from './account-pages.ts';

/** The forms that create, rotate and revoke API keys and reconcile links. */
export function registerSecretForms(app: Routes, services: DashboardServices, pages: AccountPages): void {
  registerKind(app, services, pages, services.apiKeys, keyTexts);
  registerKind(app, services, pages, services.reconcileLinks, linkTexts);
}

function registerKind(
  app: Routes,
  services: DashboardServices,
  { show, showProblem, signedInOnly }: AccountPages,
  secrets: Pick<NamedSecrets, 'create' | 'list' | 'revoke' | 'rotate'>,
  texts: SecretTexts,
): void {
  const { publicUrl } = services;
  const { id, noun } = texts;
  const path = `/dashboard/${id}`;

  async function findSecret(accountId: string, id: string) {
    const found = (await secrets.list(accountId)).find((each) => each.id === id);
    if (found === undefined) throw fail(noun === 'key' ? 'api_key_not_found' : 'reconcile_link_not_found');
    return found;
  }

  // The address of the form that creates a secret. Without this route, reloading it as a page would be a 404.
  app.get(path, (_request, reply) => reply.redirect(`/dashboard#${id}`, 303));
  app.get(
    `${path}/:id/revoke`,
    signedInOnly<SecretRequest>(async (request, reply, signedIn) => {
      const found = await findSecret(signedIn.account.accountId, request.params.id);
      return sendPage(reply, revokePage(texts, found, describeVisitor(signedIn)));
    }),
  );

  app.get(
    `${path}/:id/rotate`,
    signedInOnly<SecretRequest>(async (request, reply, signedIn) => {
      const found = await findSecret(signedIn.account.accountId, request.params.id);
      return sendPage(reply, rotatePage(texts, found, describeVisitor(signedIn)));
    }),
  );

  /** Shows the secret that `make` returns, once per value of the form's hidden field. */
  function creating(make: Make) {
    return signedInOnly<SecretRequest & { body: Fields | undefined }>(
      async ({ body = {}, params }, reply, signedIn) => {
        try {
          const { accountId } = signedIn.account;
          const created = await make(accountId, body, isUuid(body.once ?? '') ? body.once : undefined, params.id);
          return await show(reply, signedIn, { created: { texts, ...created } });
        } catch (error) {
          if (error instanceof Failure && error.code === 'idempotency_key_reused') {
            const problem = `This form was sent before and has created a ${noun}, which was shown only then. If you did not copy the ${noun}, revoke it and create another one.`;
            return show(reply.code(statusOf(error.code)), signedIn, { problem });
          }
          return showProblem(error, reply, signedIn);
        }
      },
    );
  }

  registerAccountForms(app, services, (scope) => {
    scope.post(
      `${path}/:id/rotate`,
      creating((accountId, { ends = '' }, once, id) => {
        const end = Object.hasOwn(ENDS, ends) ? ENDS[ends] : undefined;
        if (end === undefined) throw fail('invalid_request', { message: `Choose when the old ${noun} ends.` });
        return secrets.rotate(accountId, id, end.afterMs, once && `${once} ${ends}`);
      }),
    );
    scope.post(
      path,
      // The name and right are part of it: a form that the browser kept may be used again for another secret.
      creating(async (accountId, { name = '', manage = '' }, once) => {
        const canManage = noun === 'key' && manage === 'yes';
        return secrets.create(accountId, name, canManage, once && `${once} ${canManage} ${name}`);
      }),
    );
    scope.post(
      `${path}/:id/revoke`,
      signedInOnly<SecretRequest>(async (request, reply, signedIn) => {
        const { accountId } = signedIn.account;
        const { id, name } = await findSecret(accountId, request.params.id);
        await secrets.revoke(accountId, id);
        return setFlash(reply, publicUrl(), `${noun}-revoked`, name).redirect('/dashboard', 303);
      }),
    );
  });
}

type Make = (accountId: string, fields: Fields, once: string | undefined, id: string) => Promise<CreatedSecret>;

interface SecretRequest {
  readonly params: { readonly id: string };
}
