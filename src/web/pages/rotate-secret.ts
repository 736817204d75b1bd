import { type Html, html } from '../html.ts';
import { onceField, type SecretRow, type SecretTexts } from '../parts/account/secrets-section.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { showName } from '../text/display-text.ts';

const HOUR = 3_600_000;

/** When a rotated secret can end, by the value of the form. */
export const ENDS: Readonly<Record<string, { readonly label: string; readonly afterMs: number }>> = {
  now: { label: 'Now', afterMs: 0 },
  hour: { label: 'In 1 hour', afterMs: HOUR },
  day: { label: 'In 24 hours', afterMs: 24 * HOUR },
  week: { label: 'In 7 days', afterMs: 7 * 24 * HOUR },
  month: { label: 'In 30 days', afterMs: 30 * 24 * HOUR },
};
const USUAL = 'day';

/** Asks when the old secret ends, and says that the new one has to replace it until then. */
export function rotatePage(texts: SecretTexts, { id, name, prefix }: SecretRow, visitor: Visitor): Html {
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
