import { type Html, html } from '../html.ts';

/** A code listing with a copy button. `public/copy.js` reveals the button, so it is hidden where scripts do not run. */
export function codeBlock(name: string, code: Html | string, size?: 'tall'): Html {
  return html`<figure class="code${size && ` ${size}`}">
    <figcaption>${name}</figcaption>
    <button type="button" class="copy" data-copy aria-label="Copy: ${name}">Copy</button>
    <pre tabindex="0" aria-label="${name}" role="group"><code translate="no">${code}</code></pre>
  </figure>`;
}
