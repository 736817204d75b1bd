import { randomUUID } from 'node:crypto';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { ListedSecret, NamedSecrets } from '../../accounts/named-secrets.ts';
import { plainName, showName } from '../../base/display-text.ts';
import { Failure, fail, statusOf } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import { countExcess, type Plan, requestsOfAllKeys } from '../../base/plans.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import { linkAddress } from '../../base/site.ts';
import type { UsageHistory } from '../../base/usage.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import {
  type AccountPages,
  type AccountRequest,
  orShow,
  type Shown,
  type ShowProblem,
  sendAccountPage,
} from '../account.ts';
import { codeBlock, notice, section, selectField, stackTable } from '../parts/blocks.ts';
import { formatAge, formatAmount, formatDay, formatMoment } from '../text/formatting.ts';

/** The texts of the dashboard about a kind of secret. `id` is also the last part of the address of its form. */
type SecretTexts = typeof keyTexts | typeof linkTexts;

export const keyTexts = {
  id: 'keys',
  title: 'API keys',
  noun: 'key',
  hint: html`Use one key per application.`,
  example: 'production',
  unknownCode: 'api_key_not_found',
  revokedCode: 'invalid_api_key',
  describeCreated: (secret: string, publicUrl: string) => html`${codeBlock('API key', secret)}
    ${codeBlock('Try it', `curl -H 'X-API-Key: ${secret}' \\\n  '${publicUrl}/api/v1/entities?q=holding&pageSize=3'`)}`,
} as const;

export const linkTexts = {
  id: 'links',
  title: 'Reconcile links',
  noun: 'link',
  hint: html`A link lets <a href="/docs/openrefine">OpenRefine</a> match your spreadsheet with companies. It can do nothing else, and costs one
    request per name.`,
  example: 'supplier list',
  unknownCode: 'reconcile_link_not_found',
  revokedCode: 'invalid_reconcile_link',
  describeCreated: (secret: string, publicUrl: string) =>
    html`${codeBlock('Address of the service', linkAddress(publicUrl, secret))}
    <p>In OpenRefine: <em>Reconcile</em> → <em>Start reconciling…</em> → <em>Add standard service…</em>, and paste it.</p>`,
} as const;

/** Shows the dashboard after a form about secrets was sent. */
type ShowSecrets = (reply: HttpReply, signedIn: SignedIn, shown: Shown) => Promise<HttpReply>;

/** Registers the forms that create, rotate and revoke secrets of one kind. */
export function registerSecretForms(
  app: Routes,
  pages: AccountPages,
  secrets: NamedSecrets,
  texts: SecretTexts,
  publicUrl: () => string,
  show: ShowSecrets,
): void {
  const { id, noun, unknownCode, revokedCode, describeCreated } = texts;
  const path = `/dashboard/${id}`;

  async function findSecret(accountId: string, id: string) {
    const found = (await secrets.list(accountId)).find((each) => each.id === id);
    if (found === undefined) throw fail(unknownCode);
    return found;
  }

  // A form that creates a secret is sent to this path. Without this route, reloading the result as a page would be a 404.
  app.get(path, (_request, reply) => reply.redirect(`/dashboard#${id}`, 303));
  pages.askRemoval(`${path}/:id/revoke`, '/dashboard', async ({ params }, accountId) => {
    const { name, prefix } = await findSecret(accountId, params.id);
    const effect = html`Requests with this ${noun} (<code>${prefix}…</code>) will fail immediately with <code>${revokedCode}</code>.`;
    const action = `${path}/${params.id}/revoke`;
    return { verb: 'Revoke', noun, name, effect, action, back: `/dashboard#${id}` };
  });
  pages.get(`${path}/:id/rotate`, async ({ params }, reply, signedIn) => {
    const found = await findSecret(signedIn.account.accountId, params.id);
    const lead = html`You get a new ${noun} with the same name. The old one (<code>${found.prefix}…</code>) works until the time that you choose, so
      that you can replace it without an interruption.`;
    const head = { title: `Rotate ${noun}`, heading: html`Rotate ${noun} “${showName(found.name)}”`, lead };
    const ends = ENDS.map(([value, label]) => [value, label] as const);
    const form = html`<form method="post" action="${path}/${found.id}/rotate" class="inline">
      ${onceField()}
      <div class="field">${selectField('ends', `The old ${noun} ends`, ends, 'day')}</div>
      <button>Create the new ${noun}</button>
      <a href="/dashboard#${id}">Keep ${noun}</a>
    </form>`;
    return sendAccountPage(reply, signedIn, head, form, { scripts: ['once.js'] });
  });

  const showAgain: ShowProblem = (_request, reply, signedIn, problem) => show(reply, signedIn, { problem });
  /** Shows the secret that `make` returns, once per value of the form's hidden field. */
  const creating = (make: Make) =>
    orShow(showAgain, async ({ body = {}, params }: AccountRequest, reply: HttpReply, signedIn: SignedIn) => {
      try {
        const once = isUuid(body.once ?? '') ? body.once : undefined;
        const { name, secret } = await make(signedIn.account.accountId, body, once, params.id);
        const title = html`${noun === 'key' ? 'Key' : 'Link'} “${showName(name)}” created`;
        // This is the only place where a secret is ever shown.
        const text = html`<p>Copy the ${noun} now. It is shown only once.</p>${describeCreated(secret, publicUrl())}`;
        return await show(reply, signedIn, { done: notice('good', title, text) });
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'idempotency_key_reused')) throw error;
        const message = `This form was sent before and has created a ${noun}, which was shown only then. If you did not copy the ${noun}, revoke it and create another one.`;
        return show(reply.code(statusOf(error.code)), signedIn, { problem: { message, field: undefined } });
      }
    });

  pages.post({
    [`${path}/:id/rotate`]: creating((accountId, { ends = '' }, once, id) => {
      const [, , hours] = ENDS.find(([value]) => value === ends) ?? [];
      if (hours === undefined) throw fail('invalid_request', { message: `Choose when the old ${noun} ends.` });
      return secrets.rotate(accountId, id, hours * HOUR, once && `${once} ${ends}`);
    }),
    // The value includes name and right, because a form that the browser kept may be used again for another secret.
    [path]: creating(async (accountId, { name = '', manage = '' }, once) => {
      const canManage = noun === 'key' && manage === 'yes';
      return secrets.create(accountId, name, canManage, once && `${once} ${canManage} ${name}`);
    }),
    async [`${path}/:id/revoke`]({ params }, reply, signedIn) {
      const { accountId } = signedIn.account;
      const { id, name } = await findSecret(accountId, params.id);
      await secrets.revoke(accountId, id);
      return pages.confirm(reply, `${noun}-revoked`, name, '/dashboard');
    },
  });
}

type Make = (
  accountId: string,
  fields: Fields,
  once: string | undefined,
  id: string,
) => Promise<{ readonly name: string; readonly secret: string }>;

const HOUR = 3_600_000;

/** The possible ends of a rotated secret: the value in the form, the label, and the hours from now. */
const ENDS = [
  ['now', 'Now', 0],
  ['hour', 'In 1 hour', 1],
  ['day', 'In 24 hours', 24],
  ['week', 'In 7 days', 7 * 24],
  ['month', 'In 30 days', 30 * 24],
] as const;

interface SecretsView {
  readonly plan: Plan;
  readonly keys: readonly ListedSecret[];
  readonly links: readonly ListedSecret[];
  readonly history: UsageHistory;
  readonly now: number;
}

export function secretsSection(texts: SecretTexts, view: SecretsView): Html {
  const { id, title, noun, hint } = texts;
  const { plan } = view;
  const rows = view[id];
  const lasting = rows.filter(({ expiresAt }) => expiresAt === null);
  const content = html`<p>${lasting.length} of ${plan.maxApiKeys} in use. ${hint}</p>
    ${countExcess(plan, rows) > 0 && html`<p>Your plan has ${formatAmount(plan.maxApiKeys, noun)}. The others keep working, and all of them together may send ${formatAmount(requestsOfAllKeys(plan), 'request')} per minute.</p>`}
    ${rows.length > 0 && secretTable(texts, view)}
    ${lasting.length < plan.maxApiKeys ? newForm(texts, noun === 'key' && rows.length === 0) : html`<p class="empty">You have reached your ${noun} limit. Revoke a ${noun} or <a href="#billing">change your plan</a>.</p>`}`;
  return section(id, title, content, 'card wide');
}

/** The form for a new secret. For the first key, the form is filled in: one click shows the key, and a request with the key. */
function newForm({ id, noun, example }: SecretTexts, isFirst: boolean): Html {
  return html`<form class="inline" method="post" action="/dashboard/${id}">
    ${onceField()}
    <div class="field">
      <label for="${noun}-name">New ${noun} name</label>
      <input id="${noun}-name" name="name" required autocomplete="off" placeholder="e.g. ${example}"${isFirst && html` value="First key"`} dir="auto">
    </div>
    ${noun === 'key' && html`<label class="choice"><input type="checkbox" name="manage" value="yes"> May change monitors and webhooks</label>`}
    <button>${isFirst ? 'Create your first key' : `Create ${noun}`}</button>
  </form>${isFirst && html`<p class="hint">You get the key and a curl command that works with it.</p>`}`;
}

/** The random value makes a repeated submission create one secret. `once.js` stops the second click of a double click. */
function onceField(): Html {
  return html`<input type="hidden" name="once" value="${randomUUID()}">`;
}

/** Secrets of the demo have the prefix `test`, all other secrets have `live`. */
const IS_TEST = /^\w{3}_test_/;
const [TEST, LIVE] = [html`<span class="badge">Test</span>`, html`<span class="badge good">Live</span>`];

function secretTable({ id: kind, title }: SecretTexts, { history, now, ...view }: SecretsView): Html {
  const { days, counts } = history;
  const countOf = (id: string) => counts.reduce((sum, each) => sum + (each.keyId === id ? each.requests : 0), 0);
  const link = (path: 'rotate' | 'revoke', verb: string, { id, name, prefix }: ListedSecret) =>
    html`<a href="/dashboard/${kind}/${id}/${path}" aria-label="${verb} ${plainName(name)} (${prefix}…)">${verb}</a>`;
  return stackTable(`Active ${title}`, view[kind], [
    {
      label: 'Name',
      show: ({ name, canManage, expiresAt }) =>
        html`${showName(name)}${canManage === 1 && html`<br><span class="badge">May manage</span>`}${expiresAt !== null && html`<br><span class="badge warn">Ends ${formatMoment(expiresAt)}</span>`}`,
    },
    { label: 'Environment', show: ({ prefix }) => (IS_TEST.test(prefix) ? TEST : LIVE) },
    { label: 'Prefix', show: ({ prefix }) => html`<code class="keep">${prefix}…</code>` },
    { label: 'Created', kind: 'keep', show: ({ createdAt }) => formatDay(createdAt) },
    {
      label: 'Last used',
      show: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : formatAge(now - lastUsedAt)),
    },
    { label: `Last ${days.length} days`, show: ({ id }) => formatAmount(countOf(id), 'request') },
    {
      label: '',
      heading: html`<span class="hidden">Rotate or revoke</span>`,
      show: (row) =>
        html`${row.expiresAt === null && html`${link('rotate', 'Rotate', row)} · `}${link('revoke', 'Revoke', row)}`,
    },
  ]);
}
