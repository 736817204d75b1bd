import { type Html, html } from '../html.ts';
import type { SecretRow, SecretTexts } from '../parts/account/secrets-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';

/** Asks for confirmation, because a revoked key or link cannot be restored. */
export function revokePage(texts: SecretTexts, { id, name, prefix }: SecretRow, visitor: Visitor): Html {
  const { noun, revokedCode } = texts;
  return layout(
    `Revoke ${noun}`,
    html`<h1>Revoke ${noun} “<bdi>${name}</bdi>”?</h1>
    <p class="lead">Requests with this ${noun} (<code>${prefix}…</code>) will fail immediately with <code>${revokedCode}</code>.
    This cannot be undone.</p>
    <form method="post" action="/dashboard/${texts.id}/${id}/revoke" class="inline">
      <button class="danger">Revoke ${noun}</button>
      <a href="/dashboard#${texts.id}">Keep ${noun}</a>
    </form>`,
    { section: '/dashboard', visitor },
  );
}
