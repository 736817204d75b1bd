import { type Html, html } from '../../html.ts';

export type Fact = readonly [label: string, value: Html | string | null];

/** A list of labels and values. A value of null is shown as not provided. */
export function factList(facts: readonly Fact[], width?: 'narrow'): Html {
  return html`<dl class="facts-table${width && ` ${width}`}">${facts.map(
    ([label, value]) =>
      html`<div><dt>${label}</dt><dd>${value ?? html`<span class="empty">not provided</span>`}</dd></div>`,
  )}</dl>`;
}
