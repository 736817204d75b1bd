import { type Html, html } from '../html.ts';

/** Code with a name and a button to copy it. The button is shown where script runs (`public/copy.js`); without, one selects. */
export function codeBlock(name: string, code: string): Html {
  return html`<figure class="code">
    <figcaption>${name}</figcaption>
    <button type="button" class="copy" data-copy aria-label="Copy: ${name}">Copy</button>
    <pre tabindex="0" aria-label="${name}" role="group"><code translate="no">${code}</code></pre>
  </figure>`;
}
