import { randomUUID } from 'node:crypto';
import { plainName, showName } from '../../../base/display-text.ts';
import { type Html, html } from '../../../base/html.ts';
import { countExcess, type Plan, requestsOfAllKeys } from '../../../base/plans.ts';
import { linkAddress } from '../../../base/requests/reconcile-path.ts';
import type { UsageHistory } from '../../../base/usage.ts';
import { formatAge, formatAmount, formatDay, formatMoment } from '../../text/formatting.ts';
import { codeBlock, notice, stackTable } from '../blocks.ts';

/** An active API key or reconcile link as the dashboard lists it. Times are epoch ms. */
export interface SecretRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  /** When it ends because another one has replaced it. */
  readonly expiresAt: number | null;
  /** 1: it may change monitors and webhook endpoints. */
  readonly canManage?: number;
}

export interface SecretsView {
  readonly plan: Plan;
  readonly keys: readonly SecretRow[];
  readonly links: readonly SecretRow[];
  readonly history: UsageHistory;
  readonly now: number;
}

/** What the dashboard says about a kind of secrets. Its id is also the last part of the address of its form. */
export interface SecretTexts {
  readonly id: 'keys' | 'links';
  readonly title: string;
  readonly noun: 'key' | 'link';
  readonly hint: Html;
  readonly example: string;
  /** The error that requests with a revoked one get. */
  readonly revokedCode: string;
  describeCreated(secret: string, publicUrl: string): Html;
}

export const keyTexts: SecretTexts = {
  id: 'keys',
  title: 'API keys',
  noun: 'key',
  hint: html`Use one key per application.`,
  example: 'production',
  revokedCode: 'invalid_api_key',
  describeCreated: (secret, publicUrl) => html`${codeBlock('API key', secret)}
    ${codeBlock('Try it', `curl -H 'X-API-Key: ${secret}' \\\n  '${publicUrl}/api/v1/entities?q=holding&pageSize=3'`)}`,
};

export const linkTexts: SecretTexts = {
  id: 'links',
  title: 'Reconcile links',
  noun: 'link',
  hint: html`A link lets <a href="/docs/openrefine">OpenRefine</a> match your spreadsheet with companies. It can do nothing else, and costs one
    request per name.`,
  example: 'supplier list',
  revokedCode: 'invalid_reconcile_link',
  describeCreated: (secret, publicUrl) =>
    html`${codeBlock('Address of the service', linkAddress(publicUrl, secret))}
    <p>In OpenRefine: <em>Reconcile</em> → <em>Start reconciling…</em> → <em>Add standard service…</em>, and paste it.</p>`,
};

export function secretsSection(texts: SecretTexts, view: SecretsView): Html {
  const { id, title, noun, hint } = texts;
  const { plan } = view;
  const rows = view[id];
  const lasting = rows.filter(({ expiresAt }) => expiresAt === null);
  return html`<section class="card wide" aria-labelledby="${id}-title" id="${id}">
    <h2 id="${id}-title">${title}</h2>
    <p>${lasting.length} of ${plan.maxApiKeys} in use. ${hint}</p>
    ${countExcess(plan, rows) > 0 && html`<p>Your plan has ${formatAmount(plan.maxApiKeys, noun)}. The others keep working, and all of them together may send ${formatAmount(requestsOfAllKeys(plan), 'request')} per minute.</p>`}
    ${rows.length > 0 && secretTable(texts, view)}
    ${lasting.length < plan.maxApiKeys ? newForm(texts, noun === 'key' && rows.length === 0) : html`<p class="empty">You have reached your ${noun} limit. Revoke a ${noun} or <a href="#billing">change your plan</a>.</p>`}
  </section>`;
}

/** The form for the first key is filled in: one click shows the key, and a request with it. */
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
export function onceField(): Html {
  return html`<input type="hidden" name="once" value="${randomUUID()}">`;
}

function secretTable({ id: kind, title }: SecretTexts, { history, now, ...view }: SecretsView): Html {
  const { days, counts } = history;
  const countOf = (id: string) => counts.reduce((sum, each) => sum + (each.keyId === id ? each.requests : 0), 0);
  const link = (path: 'rotate' | 'revoke', verb: string, { id, name, prefix }: SecretRow) =>
    html`<a href="/dashboard/${kind}/${id}/${path}" aria-label="${verb} ${plainName(name)} (${prefix}…)">${verb}</a>`;
  return stackTable(`Active ${title}`, view[kind], [
    {
      label: 'Name',
      show: ({ name, canManage, expiresAt }) =>
        html`${showName(name)}${canManage === 1 && html`<br><span class="badge">May manage</span>`}${expiresAt !== null && html`<br><span class="badge warn">Ends ${formatMoment(expiresAt)}</span>`}`,
    },
    { label: 'Environment', show: ({ prefix }) => environmentBadge(prefix) },
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

/** Secrets of the demo have the prefix `test`, all others `live`. */
function environmentBadge(prefix: string): Html {
  return /^\w{3}_test_/.test(prefix)
    ? html`<span class="badge">Test</span>`
    : html`<span class="badge good">Live</span>`;
}

export interface CreatedSecret {
  readonly texts: SecretTexts;
  readonly name: string;
  readonly secret: string;
}

/** The only place where a secret is ever shown. */
export function createdNotice({ texts, name, secret }: CreatedSecret, publicUrl: string): Html {
  const { noun, describeCreated } = texts;
  return notice(
    'good',
    html`${noun === 'key' ? 'Key' : 'Link'} “${showName(name)}” created`,
    html`<p>Copy the ${noun} now. It is shown only once.</p>
    ${describeCreated(secret, publicUrl)}`,
  );
}
