import { type Html, html } from '../html.ts';

/** Lets a wide table scroll sideways instead of widening the page. The focus stop makes it scrollable by keyboard. */
export function scrollArea(label: string, content: Html): Html {
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}">${content}</div>`;
}
