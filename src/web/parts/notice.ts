import { type Html, html } from '../html.ts';

/** A message to the user. Screen readers announce `bad` immediately and the other tones when they are idle. */
export function notice(tone: 'info' | 'good' | 'warn' | 'bad', title: Html | string, text: Html | string): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <p class="title">${title}</p>
    <div>${text}</div>
  </div>`;
}
