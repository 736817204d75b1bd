import { readAttempts } from '../../webhooks/delivery/record.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../webhooks/endpoints.ts';
import { type Html, html } from '../html.ts';
import { describeReason } from '../parts/account/webhooks-section.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { formatMoment } from '../text/formatting.ts';

export interface WebhooksView {
  readonly visitor: Visitor;
  readonly done?: Html | undefined;
  readonly problem?: string | undefined;
  /** A new secret, shown once. */
  readonly secret?: string | undefined;
}

const PATH = '/dashboard/webhooks';

/** The endpoints of an account, and the form for a new one. */
export function webhooksPage(
  view: WebhooksView & { endpoints: readonly WebhookEndpoint[]; limit: number; isOn: boolean },
) {
  const { endpoints, limit, isOn } = view;
  return frame(
    view,
    'Webhooks',
    html`<p class="lead">We send the events of your monitors to your server, signed. <a href="/docs/webhooks">How to receive them</a></p>
    ${messages(view)}
    <section class="card wide" aria-labelledby="endpoints-title">
      <h2 id="endpoints-title">Endpoints</h2>
      <p>${endpoints.length} of ${limit} in use.</p>
      ${endpoints.length > 0 && scrollArea('Endpoints', endpointTable(endpoints))}
      ${isOn ? endpoints.length < limit && NEW_FORM : html`<p class="empty">Webhooks are not set up on this server: its operator has to set <code>WEBHOOK_KEY</code>.</p>`}
    </section>`,
  );
}

const NEW_FORM = html`<form class="inline" method="post" action="${PATH}">
  <div class="field">
    <label for="endpoint-url">Address of your receiver</label>
    <input id="endpoint-url" name="url" type="url" required autocomplete="off" placeholder="https://example.com/hooks">
  </div>
  <button>Create endpoint</button>
</form>`;

function endpointTable(endpoints: readonly WebhookEndpoint[]): Html {
  return html`<table class="stack">
    <thead><tr><th>Address</th><th>State</th><th>Monitors</th><th>Created</th></tr></thead>
    <tbody>${endpoints.map(
      ({ id, url, disabledReason, monitorIds, createdAt }) => html`<tr>
        <th scope="row"><a href="${PATH}/${id}"><bdi>${url}</bdi></a></th>
        <td data-label="State">${stateBadge(disabledReason)}</td>
        <td data-label="Monitors">${monitorIds === null ? 'all' : monitorIds.length}</td>
        <td data-label="Created">${formatMoment(createdAt)}</td>
      </tr>`,
    )}</tbody>
  </table>`;
}

function stateBadge(reason: WebhookEndpoint['disabledReason']): Html {
  return reason === null
    ? html`<span class="badge good">Enabled</span>`
    : html`<span class="badge warn">Disabled</span>`;
}

/** One endpoint: what was sent to it, and what can be done. */
export function webhookPage(
  view: WebhooksView & { endpoint: WebhookEndpoint; deliveries: readonly WebhookDelivery[] },
): Html {
  const { endpoint, deliveries } = view;
  const { id, url, disabledReason, disabledAt, previousEndsAt } = endpoint;
  const isEnabled = disabledReason === null;
  return frame(
    view,
    'Webhook endpoint',
    html`<p class="lead"><bdi>${url}</bdi> ${stateBadge(disabledReason)}</p>
    ${messages(view)}
    ${!isEnabled && notice('warn', describeReason(disabledReason), html`Since ${formatMoment(disabledAt ?? 0)}. Nothing is lost: all events are sent when you enable it.`)}
    ${previousEndsAt !== null && html`<p>The previous secret also signs until ${formatMoment(previousEndsAt)}.</p>`}
    <div class="actions">
      ${action(id, isEnabled ? 'disable' : 'enable', isEnabled ? 'Disable' : 'Enable')}
      ${action(id, 'test', 'Send a test')}
      ${action(id, 'replay', 'Send all events again')}
      ${action(id, 'rotate', 'Rotate secret')}
      <details><summary>Delete</summary><p>Its deliveries are deleted, too. This cannot be undone.</p>${action(id, 'delete', 'Delete endpoint', 'danger')}</details>
    </div>
    <section class="card wide" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Latest deliveries</h2>
      ${deliveries.length === 0 ? html`<p class="empty">Nothing was sent yet.</p>` : scrollArea('Latest deliveries', deliveryTable(deliveries))}
    </section>
    <p><a href="${PATH}">All endpoints</a></p>`,
  );
}

const action = (
  id: string,
  name: string,
  text: string,
  tone = 'quiet',
) => html`<form method="post" action="${PATH}/${id}">
  <button class="${tone}" name="action" value="${name}">${text}</button>
</form>`;

function deliveryTable(deliveries: readonly WebhookDelivery[]): Html {
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

function messages({ done, problem, secret }: WebhooksView): Html {
  return html`${done}
    ${problem !== undefined && notice('bad', 'Request failed', problem)}
    ${secret !== undefined && notice('good', 'Signing secret', html`<p>Copy the secret now. It is shown only once.</p>${codeBlock('Secret', secret)}`)}`;
}

function frame({ visitor }: WebhooksView, title: string, content: Html): Html {
  return layout(title, html`<h1>${title}</h1>${content}`, { section: '/dashboard', visitor, scripts: ['copy.js'] });
}
