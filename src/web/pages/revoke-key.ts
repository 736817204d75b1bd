import { type Html, html } from '../html.ts';
import type { KeyRow } from '../parts/account/keys-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';

/** Asks for confirmation, because a revoked key cannot be restored. */
export function revokePage({ id, name, prefix }: KeyRow, visitor: Visitor): Html {
  return layout(
    'Revoke key',
    html`<h1>Revoke key “<bdi>${name}</bdi>”?</h1>
    <p class="lead">Requests with this key (<code>${prefix}…</code>) will fail immediately with <code>invalid_api_key</code>.
    This cannot be undone.</p>
    <form method="post" action="/dashboard/keys/${id}/revoke" class="inline">
      <button class="danger">Revoke key</button>
      <a href="/dashboard#keys">Keep key</a>
    </form>`,
    { section: '/dashboard', visitor },
  );
}
