import { type Html, html } from '../html.ts';

/** Something a person should know; `bad` is said at once by a screen reader, the others when there is time. */
export function notice(tone: 'info' | 'good' | 'warn' | 'bad', title: string, text: Html | string): Html {
  return html`<div class="notice ${tone}" role="${tone === 'bad' ? 'alert' : 'status'}">
    <p class="title">${title}</p>
    <div>${text}</div>
  </div>`;
}
