import type { Plan } from '../../core/plans.ts';
import { type Html, html } from '../html.ts';
import { writeAge, writeDay } from '../text/formatting.ts';
import { codeBlock } from './code-block.ts';
import { layout, type Visitor } from './layout.ts';
import { notice } from './notice.ts';

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
    <p>${keys.length} of ${plan.maxApiKeys} in use. Make one for each program, so that you can revoke them one by one.</p>
    ${keys.length > 0 && keyTable(keys, now)}
    ${keys.length < plan.maxApiKeys ? newKeyForm : html`<p class="empty">The plan allows no more keys: revoke one, or <a href="#billing">change the plan</a>.</p>`}
  </section>`;
}

const newKeyForm = html`<form class="inline" method="post" action="/dashboard/keys">
  <div class="field">
    <label for="name">Name of a new key</label>
    <input id="name" name="name" required maxlength="60" autocomplete="off" placeholder="Such as: production" dir="auto">
  </div>
  <button>Create key</button>
</form>`;

function keyTable(keys: readonly KeyRow[], now: number): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Active API keys"><table class="stack">
    <thead><tr><th>Name</th><th>Begins with</th><th>Created</th><th>Last used</th><th><span class="hidden">Revoke</span></th></tr></thead>
    <tbody>${keys.map(
      ({ id, name, prefix, createdAt, lastUsedAt }) => html`<tr>
        <th scope="row"><bdi>${name}</bdi></th>
        <td data-label="Begins with"><code class="keep">${prefix}…</code></td>
        <td class="keep" data-label="Created">${writeDay(createdAt)}</td>
        <td data-label="Last used">${lastUsedAt === undefined ? 'never' : writeAge(now - lastUsedAt)}</td>
        <td class="keep"><a href="/dashboard/keys/${id}/revoke" aria-label="Revoke ${name}">Revoke</a></td>
      </tr>`,
    )}</tbody>
  </table></div>`;
}

/** The only time a secret is shown. */
export function createdNotice(name: string, secret: string, publicUrl: string): Html {
  return notice(
    'good',
    `The key “${name}” is ready`,
    html`<p>Copy it now and keep it safe: it is not shown again, and only its hash is kept here.</p>
    ${codeBlock('API key', secret)}
    ${codeBlock('Try it', `curl -H 'X-API-Key: ${secret}' \\\n  '${publicUrl}/api/v1/entities?q=holding&pageSize=3'`)}`,
  );
}

/** Revoking cannot be taken back, so it takes a second click. */
export function revokePage({ id, name, prefix }: KeyRow, visitor: Visitor): Html {
  return layout(
    'Revoke a key',
    html`<h1>Revoke the key “<bdi>${name}</bdi>”?</h1>
    <p class="lead">It begins with <code>${prefix}</code>. Programs that use it are refused at once with
    <code>invalid_api_key</code>. This cannot be taken back.</p>
    <form method="post" action="/dashboard/keys/${id}/revoke" class="inline">
      <button class="danger">Revoke the key</button>
      <a href="/dashboard#keys">Keep it</a>
    </form>`,
    { section: '/dashboard', visitor },
  );
}
