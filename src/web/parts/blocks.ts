import { type Html, html } from '../html.ts';

/** A message to the user. Screen readers announce `bad` immediately and the other tones when they are idle. */
export function notice(tone: 'info' | 'good' | 'warn' | 'bad', title: Html | string, text: Html | string): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <p class="title">${title}</p>
    <div>${text}</div>
  </div>`;
}

/** A code listing with a copy button. `public/copy.js` reveals the button, so it is hidden where scripts do not run. */
export function codeBlock(name: string, code: Html | string, size?: 'tall'): Html {
  return html`<figure class="code${size && ` ${size}`}">
    <figcaption>${name}</figcaption>
    <button type="button" class="copy" data-copy aria-label="Copy: ${name}">Copy</button>
    <pre tabindex="0" aria-label="${name}" role="group"><code translate="no">${code}</code></pre>
  </figure>`;
}

export type Fact = readonly [label: string, value: Html | string | null];

/** A list of labels and values. A value of null is shown as not provided. */
export function factList(facts: readonly Fact[], width?: 'narrow'): Html {
  return html`<dl class="facts-table${width && ` ${width}`}">${facts.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value ?? html`<span class="empty">not provided</span>`}</dd></div>`,
  )}</dl>`;
}

/** Lets a wide table scroll sideways instead of widening the page. The focus stop makes it scrollable by keyboard. */
export function scrollArea(label: string, content: Html): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">${content}</div>`;
}

/** A cell of a table whose rows are cards on phones. A cell without a value has no label there. */
export function labelledCell(label: string, value: Html | string | null | undefined): Html {
  return value === null || value === undefined || value === ''
    ? html`<td></td>`
    : html`<td data-label="${label}">${value}</td>`;
}
