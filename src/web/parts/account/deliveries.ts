import { readAttempts } from '../../../webhooks/delivery/exchange.ts';
import type { WebhookDelivery } from '../../../webhooks/endpoints.ts';
import { type DeliveryState, deliveryStates } from '../../../webhooks/states.ts';
import { type Html, html } from '../../html.ts';
import { formatMoment } from '../../text/formatting.ts';
import { scrollArea } from '../scroll-area.ts';

export interface DeliveriesView {
  readonly deliveries: readonly WebhookDelivery[];
  /** Only those in this state. */
  readonly state: DeliveryState | undefined;
  /** The delivery after which the next page starts. */
  readonly next: string | undefined;
}

/** One page of the deliveries of an endpoint, the newest first, with what the receiver answered. */
export function deliveriesSection(path: string, { deliveries, state, next }: DeliveriesView): Html {
  const link = (to: DeliveryState | undefined, label: string) =>
    to === state ? html`<strong>${label}</strong>` : html`<a href="${path}${to && `?state=${to}`}">${label}</a>`;
  return html`<section class="card wide" aria-labelledby="deliveries-title" id="deliveries">
    <h2 id="deliveries-title">Deliveries</h2>
    <p>${link(undefined, 'All')}${deliveryStates.map((each) => html` · ${link(each, STATE_LABELS[each])}`)}</p>
    ${deliveries.length === 0 ? html`<p class="empty">${state === undefined ? 'Nothing was sent yet.' : 'None.'}</p>` : scrollArea('Deliveries', table(deliveries))}
    ${next !== undefined && html`<p><a href="${path}?${state && `state=${state}&`}before=${next}">Older deliveries</a></p>`}
  </section>`;
}

const STATE_LABELS: Readonly<Record<DeliveryState, string>> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
};

function table(deliveries: readonly WebhookDelivery[]): Html {
  return html`<table class="stack">
    <thead><tr><th>Event</th><th>State</th><th>Created</th><th>Attempts</th><th>Last answer</th><th>Next attempt</th></tr></thead>
    <tbody>${deliveries.map(({ id, type, state, createdAt, attemptLog, nextAt }) => {
      const attempts = readAttempts(attemptLog);
      const last = attempts.at(-1);
      return html`<tr>
        <th scope="row">${type}<br><code>${id}</code></th>
        <td data-label="State"><span class="badge ${state === 'delivered' ? 'good' : 'warn'}">${state}</span></td>
        <td data-label="Created">${formatMoment(createdAt)}</td>
        <td data-label="Attempts">${attempts.length}</td>
        <td data-label="Last answer">${last === undefined ? '–' : html`${last.status ?? last.reason}${last.body !== '' && html`<br><code><bdi>${last.body.slice(0, 200)}</bdi></code>`}`}</td>
        <td data-label="Next attempt">${state === 'waiting' ? formatMoment(nextAt) : '–'}</td>
      </tr>`;
    })}</tbody>
  </table>`;
}
