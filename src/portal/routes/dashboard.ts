import type { SignedIn } from '../../accounts/accounts.ts';
import type { CreatedSecret, NamedSecrets } from '../../accounts/named-secrets.ts';
import { showName } from '../../base/display-text.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { setFlash, takeFlash } from '../flash.ts';
import { removalPage } from '../pages/messages.ts';
import { readReturn } from '../pages/plans.ts';
import { keyTexts, linkTexts, onceField, type SecretRow, type SecretTexts } from '../parts/account/secrets-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, sendPage } from '../visitor.ts';
import type { AccountPages, AccountRequest } from './account-pages.ts';

/** The signed-in user's account: usage, keys, links and plan. Every change is a form, so it works without JavaScript. */
export function registerDashboard(app: Routes, services: PageServices, pages: AccountPages): void {
  const { publicUrl, apiKeys, reconcileLinks } = services;
  pages.get('/dashboard', async (request, reply, signedIn) => {
    const returned = await readReturn(request, reply, signedIn, services);
    return pages.show(reply, signedIn, { done: takeFlash(reply, publicUrl()), ...returned });
  });
  registerSecretForms(app, services, pages, apiKeys, keyTexts);
  registerSecretForms(app, services, pages, reconcileLinks, linkTexts);
}

/** The forms that create, rotate and revoke secrets of one kind. */
function registerSecretForms(
  app: Routes,
  services: PageServices,
  pages: AccountPages,
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
  pages.get(`${path}/:id/revoke`, async ({ params }, reply, signedIn) => {
    const found = await findSecret(signedIn.account.accountId, params.id);
    return sendPage(reply, revokePage(texts, found, describeVisitor(signedIn)));
  });
  pages.get(`${path}/:id/rotate`, async ({ params }, reply, signedIn) => {
    const found = await findSecret(signedIn.account.accountId, params.id);
    return sendPage(reply, rotatePage(texts, found, describeVisitor(signedIn)));
  });

  /** Shows the secret that `make` returns, once per value of the form's hidden field. */
  const creating =
    (make: Make) =>
    async ({ body = {}, params }: AccountRequest, reply: HttpReply, signedIn: SignedIn) => {
      try {
        const { accountId } = signedIn.account;
        const created = await make(accountId, body, isUuid(body.once ?? '') ? body.once : undefined, params.id);
        return await pages.show(reply, signedIn, { created: { texts, ...created } });
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'idempotency_key_reused'))
          return pages.showProblem(error, reply, signedIn);
        const problem = `This form was sent before and has created a ${noun}, which was shown only then. If you did not copy the ${noun}, revoke it and create another one.`;
        return pages.show(reply.code(statusOf(error.code)), signedIn, { problem });
      }
    };

  pages.post({
    [`${path}/:id/rotate`]: creating((accountId, { ends = '' }, once, id) => {
      const end = Object.hasOwn(ENDS, ends) ? ENDS[ends] : undefined;
      if (end === undefined) throw fail('invalid_request', { message: `Choose when the old ${noun} ends.` });
      return secrets.rotate(accountId, id, end.afterMs, once && `${once} ${ends}`);
    }),
    // The name and right are part of it: a form that the browser kept may be used again for another secret.
    [path]: creating(async (accountId, { name = '', manage = '' }, once) => {
      const canManage = noun === 'key' && manage === 'yes';
      return secrets.create(accountId, name, canManage, once && `${once} ${canManage} ${name}`);
    }),
    async [`${path}/:id/revoke`]({ params }, reply, signedIn) {
      const { accountId } = signedIn.account;
      const { id, name } = await findSecret(accountId, params.id);
      await secrets.revoke(accountId, id);
      return setFlash(reply, publicUrl(), `${noun}-revoked`, name).redirect('/dashboard', 303);
    },
  });
}

type Make = (accountId: string, fields: Fields, once: string | undefined, id: string) => Promise<CreatedSecret>;

const HOUR = 3_600_000;

/** When a rotated secret can end, by the value of the form. */
const ENDS: Readonly<Record<string, { readonly label: string; readonly afterMs: number }>> = {
  now: { label: 'Now', afterMs: 0 },
  hour: { label: 'In 1 hour', afterMs: HOUR },
  day: { label: 'In 24 hours', afterMs: 24 * HOUR },
  week: { label: 'In 7 days', afterMs: 7 * 24 * HOUR },
  month: { label: 'In 30 days', afterMs: 30 * 24 * HOUR },
};
const USUAL = 'day';

/** Asks when the old secret ends, and says that the new one has to replace it until then. */
function rotatePage(texts: SecretTexts, { id, name, prefix }: SecretRow, visitor: Visitor): Html {
  const { noun } = texts;
  return layout(
    `Rotate ${noun}`,
    html`<h1>Rotate ${noun} “${showName(name)}”</h1>
    <p class="lead">You get a new ${noun} with the same name. The old one (<code>${prefix}…</code>) works until the time that you choose, so
    that you can replace it without an interruption.</p>
    <form method="post" action="/dashboard/${texts.id}/${id}/rotate" class="inline">
      ${onceField()}
      <div class="field">
        <label for="ends">The old ${noun} ends</label>
        <select id="ends" name="ends">${Object.entries(ENDS).map(
          ([value, { label }]) => html`<option value="${value}"${value === USUAL && html` selected`}>${label}</option>`,
        )}</select>
      </div>
      <button>Create the new ${noun}</button>
      <a href="/dashboard#${texts.id}">Keep ${noun}</a>
    </form>`,
    { section: '/dashboard', visitor, scripts: ['once.js'] },
  );
}

function revokePage(texts: SecretTexts, { id, name, prefix }: SecretRow, visitor: Visitor): Html {
  const { noun, revokedCode } = texts;
  const effect = html`Requests with this ${noun} (<code>${prefix}…</code>) will fail immediately with <code>${revokedCode}</code>.`;
  const button = html`<button class="danger">Revoke ${noun}</button>`;
  const [action, back] = [`/dashboard/${texts.id}/${id}/revoke`, `/dashboard#${texts.id}`];
  return removalPage({ verb: 'Revoke', noun, name, effect, button, action, back }, visitor);
}
