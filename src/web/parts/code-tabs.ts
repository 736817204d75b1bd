import { type Html, html } from '../html.ts';
import { codeBlock } from './code-block.ts';

export interface CodeTab {
  readonly name: string;
  readonly code: Html;
}

/** The same request in several languages, of which one is shown. Radio buttons select it, so that no script is needed. */
export function codeTabs(id: string, tabs: readonly CodeTab[]): Html {
  return html`<fieldset class="tabs"><legend class="hidden">Language of the example</legend>
    ${tabs.map(
      ({ name }, index) =>
        html`<input type="radio" name="lang-${id}" id="lang-${id}-${index}" value="${name}"${index === 0 && html` checked`}><label for="lang-${id}-${index}">${name}</label>`,
    )}
    ${tabs.map(({ name, code }) => codeBlock(name, code))}
  </fieldset>`;
}
