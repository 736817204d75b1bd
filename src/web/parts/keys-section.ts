import type { Plan } from '../../core/plans.ts';
import { type Html, html } from '../html.ts';
import { formatAge, formatDay } from '../text/formatting.ts';
import { codeBlock } from './code-block.ts';
import { notice } from './notice.ts';
import { scrollArea } from './scroll-area.ts';

/** An active key as the dashboard lists it. Times are epoch ms. */
export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

export interface KeysView {
  readonly plan: Plan;
  readonly keys: readonly KeyRow[];
  readonly now: number;
}

export function keysSection({ plan, keys, now }: KeysView): Html {
  return html`<section class="card" aria-labelledby="keys-title" id="keys">
    <h2 id="keys-title">API keys</h2>
    <p>${keys.length} of ${plan.maxApiKeys} in use. Use one key per application.</p>
    ${keys.length > 0 && scrollArea('Active API keys', keyTable(keys, now))}
    ${keys.length < plan.maxApiKeys ? newKeyForm : html`<p class="empty">You have reached your key limit. Revoke a key or <a href="#billing">change your plan</a>.</p>`}
  </section>`;
}

const newKeyForm = html`<form class="inline" method="post" action="/dashboard/keys">
  <div class="field">
    <label for="name">New key name</label>
    <input id="name" name="name" required autocomplete="off" placeholder="e.g. production" dir="auto">
  </div>
  <button>Create key</button>
</form>`;

function keyTable(keys: readonly KeyRow[], now: number): Html {
  return html`<table class="stack">
    <thead><tr><th>Name</th><th>Prefix</th><th>Created</th><th>Last used</th><th><span class="hidden">Revoke</span></th></tr></thead>
    <tbody>${keys.map(
      ({ id, name, prefix, createdAt, lastUsedAt }) => html`<tr>
        <th scope="row"><bdi>${name}</bdi></th>
        <td data-label="Prefix"><code class="keep">${prefix}…</code></td>
        <td class="keep" data-label="Created">${formatDay(createdAt)}</td>
        <td data-label="Last used">${lastUsedAt === undefined ? 'never' : formatAge(now - lastUsedAt)}</td>
        <td class="keep"><a href="/dashboard/keys/${id}/revoke" aria-label="Revoke ${name}">Revoke</a></td>
      </tr>`,
    )}</tbody>
  </table>`;
}

/** The only place where a secret is ever shown. */
export function createdNotice(name: string, secret: string, publicUrl: string): Html {
  return notice(
    'good',
    `Key “${name}” created`,
    html`<p>Copy the key now. It is shown only once: we store only its hash.</p>
    ${codeBlock('API key', secret)}
    ${codeBlock('Try it', `curl -H 'X-API-Key: ${secret}' \\\n  '${publicUrl}/api/v1/entities?q=holding&pageSize=3'`)}`,
  );
}
