import { randomUUID } from 'node:crypto';
import type { Plan } from '../../../core/plans.ts';
import type { UsageHistory } from '../../../core/usage.ts';
import { type Html, html } from '../../html.ts';
import { formatAge, formatAmount, formatDay } from '../../text/formatting.ts';
import { codeBlock } from '../code-block.ts';
import { notice } from '../notice.ts';
import { scrollArea } from '../scroll-area.ts';

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
  readonly history: UsageHistory;
  readonly now: number;
}

export function keysSection({ plan, keys, history, now }: KeysView): Html {
  return html`<section class="card wide" aria-labelledby="keys-title" id="keys">
    <h2 id="keys-title">API keys</h2>
    <p>${keys.length} of ${plan.maxApiKeys} in use. Use one key per application.</p>
    ${keys.length > 0 && scrollArea('Active API keys', keyTable(keys, history, now))}
    ${keys.length < plan.maxApiKeys ? newKeyForm() : html`<p class="empty">You have reached your key limit. Revoke a key or <a href="#billing">change your plan</a>.</p>`}
  </section>`;
}

/** The random value makes a double click, or a repeated submission, create one key. */
const newKeyForm = () => html`<form class="inline" method="post" action="/dashboard/keys">
  <input type="hidden" name="once" value="${randomUUID()}">
  <div class="field">
    <label for="name">New key name</label>
    <input id="name" name="name" required autocomplete="off" placeholder="e.g. production" dir="auto">
  </div>
  <button>Create key</button>
</form>`;

function keyTable(keys: readonly KeyRow[], { days, counts }: UsageHistory, now: number): Html {
  const requests = `Last ${days.length} days`;
  const countOf = (id: string) => counts.reduce((sum, each) => sum + (each.keyId === id ? each.requests : 0), 0);
  return html`<table class="stack">
    <thead><tr><th>Name</th><th>Environment</th><th>Prefix</th><th>Created</th><th>Last used</th><th>${requests}</th><th><span class="hidden">Revoke</span></th></tr></thead>
    <tbody>${keys.map(
      ({ id, name, prefix, createdAt, lastUsedAt }) => html`<tr>
        <th scope="row"><bdi>${name}</bdi></th>
        <td data-label="Environment">${environmentBadge(prefix)}</td>
        <td data-label="Prefix"><code class="keep">${prefix}…</code></td>
        <td class="keep" data-label="Created">${formatDay(createdAt)}</td>
        <td data-label="Last used">${lastUsedAt === undefined ? 'never' : formatAge(now - lastUsedAt)}</td>
        <td data-label="${requests}">${formatAmount(countOf(id), 'request')}</td>
        <td class="keep"><a href="/dashboard/keys/${id}/revoke" aria-label="Revoke ${name} (${prefix}…)">Revoke</a></td>
      </tr>`,
    )}</tbody>
  </table>`;
}

/** Keys of the demo start with `frm_test_`, all others with `frm_live_`. */
function environmentBadge(prefix: string): Html {
  return prefix.startsWith('frm_test_')
    ? html`<span class="badge">Test</span>`
    : html`<span class="badge good">Live</span>`;
}

/** The only place where a secret is ever shown. */
export function createdNotice(name: string, secret: string, publicUrl: string): Html {
  return notice(
    'good',
    `Key “${name}” created`,
    html`<p>Copy the key now. It is shown only once.</p>
    ${codeBlock('API key', secret)}
    ${codeBlock('Try it', `curl -H 'X-API-Key: ${secret}' \\\n  '${publicUrl}/api/v1/entities?q=holding&pageSize=3'`)}`,
  );
}
