import { MAX_NAME_LENGTH } from '../../../core/entity-summary.ts';
import { type Html, html } from '../../html.ts';

/** The text field of a search form. */
export function searchField(label: string, q: string): Html {
  return html`<div class="field wide">
    <label for="q">${label}</label>
    <input id="q" name="q" type="search" value="${q}" maxlength="${MAX_NAME_LENGTH}" autocomplete="off" spellcheck="false"
      dir="auto" aria-keyshortcuts="/" placeholder="Part of a name, or a registration number">
  </div>`;
}
