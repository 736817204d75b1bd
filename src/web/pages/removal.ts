import { type Html, html } from '../html.ts';
import type { SecretRow, SecretTexts } from '../parts/account/secrets-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { showName } from '../text/display-text.ts';

/** What is about to be removed for good. */
interface Removal {
  readonly verb: 'Revoke' | 'Delete';
  readonly noun: string;
  readonly name: string;
  /** What happens then. */
  readonly effect: Html | string;
  /** The button. Its form is sent to `action`. */
  readonly button: Html;
  readonly action: string;
  /** The page to return to. */
  readonly back: string;
}

/** Asks for confirmation, because what is removed cannot be restored. */
function removalPage({ verb, noun, name, effect, button, action, back }: Removal, visitor: Visitor): Html {
  return layout(
    `${verb} ${noun}`,
    html`<h1>${verb} ${noun} “${showName(name)}”?</h1>
    <p class="lead">${effect} This cannot be undone.</p>
    <form method="post" action="${action}" class="inline">
      ${button}
      <a href="${back}">Keep ${noun}</a>
    </form>`,
    { section: '/dashboard', visitor },
  );
}

export function revokePage(texts: SecretTexts, { id, name, prefix }: SecretRow, visitor: Visitor): Html {
  const { noun, revokedCode } = texts;
  const effect = html`Requests with this ${noun} (<code>${prefix}…</code>) will fail immediately with <code>${revokedCode}</code>.`;
  const button = html`<button class="danger">Revoke ${noun}</button>`;
  const [action, back] = [`/dashboard/${texts.id}/${id}/revoke`, `/dashboard#${texts.id}`];
  return removalPage({ verb: 'Revoke', noun, name, effect, button, action, back }, visitor);
}

export function deleteMonitorPage(
  { id, name }: { readonly id: string; readonly name: string },
  visitor: Visitor,
): Html {
  const effect =
    'Everything that it has reported is deleted, too, and webhooks and its feed report nothing more of it.';
  const button = html`<button class="danger">Delete monitor</button>`;
  const back = `/dashboard/monitors/${id}`;
  return removalPage(
    { verb: 'Delete', noun: 'monitor', name, effect, button, action: `${back}/delete`, back },
    visitor,
  );
}

export function deleteEndpointPage({ id, url }: { readonly id: string; readonly url: string }, visitor: Visitor): Html {
  const effect = 'Its deliveries are deleted, too. Those that wait are not sent.';
  const button = html`<button class="danger" name="action" value="delete">Delete endpoint</button>`;
  const back = `/dashboard/webhooks/${id}`;
  return removalPage({ verb: 'Delete', noun: 'endpoint', name: url, effect, button, action: back, back }, visitor);
}
