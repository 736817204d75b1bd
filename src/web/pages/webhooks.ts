import type { Monitor } from '../../monitors/monitors.ts';
import type { WebhookEndpoint } from '../../webhooks/endpoints.ts';
import { type Html, html } from '../html.ts';
import { type DeliveriesView, deliveriesSection } from '../parts/account/deliveries.ts';
import { endpointFields } from '../parts/account/webhook-forms.ts';
import { describeReason } from '../parts/account/webhooks-section.ts';
import { codeBlock } from '../parts/code-block.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { notice } from '../parts/notice.ts';
import { scrollArea } from '../parts/scroll-area.ts';
import { showName } from '../text/display-text.ts';
import { formatMoment } from '../text/formatting.ts';

export interface WebhooksView {
  readonly visitor: Visitor;
  readonly monitors: readonly Monitor[];
  readonly done?: Html | undefined;
  readonly problem?: string | undefined;
  /** A new secret, shown once. */
  readonly secret?: string | undefined;
}

const PATH = '/dashboard/webhooks';

/** The endpoints of an account, and the form for a new one. */
export function webhooksPage(
  view: WebhooksView & {
    endpoints: readonly WebhookEndpoint[];
    limit: number;
    isOn: boolean;
    /** What the form contains. */
    form: Parameters<typeof endpointFields>[0];
    /** The address of the receiver that the demo has. */
    receiver: string | undefined;
  },
) {
  const { endpoints, monitors, limit, isOn, form, receiver } = view;
  return frame(
    view,
    'Webhooks',
    html`<p class="lead">We send the events of your monitors to your server, signed. <a href="/docs/webhooks">How to receive them</a> ·
      <a href="/dashboard/monitors">Monitors</a></p>
    ${messages(view)}
    ${receiver !== undefined && notice('info', 'This demo has a receiver', html`<a href="${receiver}">Its page</a> shows what arrives, and checks the signatures. Its address is <code>${receiver}</code>.`)}
    <section class="card wide" aria-labelledby="endpoints-title">
      <h2 id="endpoints-title">Endpoints</h2>
      <p>${endpoints.length} of ${limit} in use.</p>
      ${endpoints.length > 0 && scrollArea('Endpoints', endpointTable(endpoints))}
      ${
        isOn
          ? endpoints.length < limit &&
            html`<h3>New endpoint</h3><form method="post" action="${PATH}">${endpointFields(form, monitors)}<button>Create endpoint</button></form>`
          : html`<p class="empty">Webhooks are not set up on this server: its operator has to set <code>WEBHOOK_KEY</code>.</p>`
      }
    </section>`,
  );
}

function endpointTable(endpoints: readonly WebhookEndpoint[]): Html {
  return html`<table class="stack">
    <thead><tr><th>Address</th><th>State</th><th>Monitors</th><th>Created</th></tr></thead>
    <tbody>${endpoints.map(
      ({ id, url, description, disabledReason, monitorIds, createdAt }) => html`<tr>
        <th scope="row"><a href="${PATH}/${id}"><bdi>${url}</bdi></a>${description !== null && html`<br><span class="quiet"><bdi>${description}</bdi></span>`}</th>
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
export function webhookPage(view: WebhooksView & DeliveriesView & { endpoint: WebhookEndpoint }): Html {
  const { endpoint, monitors } = view;
  const { id, url, description, disabledReason, disabledAt, previousEndsAt } = endpoint;
  const isEnabled = disabledReason === null;
  return frame(
    view,
    'Webhook endpoint',
    html`<p class="lead"><bdi>${url}</bdi> ${stateBadge(disabledReason)}${description !== null && html`<br><bdi>${description}</bdi>`}</p>
    ${messages(view)}
    ${!isEnabled && notice('warn', describeReason(disabledReason), html`Since ${formatMoment(disabledAt ?? 0)}. Nothing is lost: all events are sent when you enable it.`)}
    <p>${describeMonitors(endpoint, monitors)}</p>
    ${previousEndsAt !== null && html`<p>The previous secret also signs until ${formatMoment(previousEndsAt)}.</p>`}
    <div class="buttons">
      ${action(id, 'test', 'Send a test')}
      ${action(id, isEnabled ? 'disable' : 'enable', isEnabled ? 'Disable' : 'Enable')}
      ${action(id, 'rotate', 'Rotate secret')}
    </div>
    <details><summary>Change the address or the monitors</summary>
      <form method="post" action="${PATH}/${id}">${endpointFields(endpoint, monitors)}<button name="action" value="save">Save</button></form></details>
    <details><summary>Send events again</summary>
      <form class="inline" method="post" action="${PATH}/${id}"><div class="field">
        <label for="cursor">After this cursor (empty: all that are kept)</label>
        <input id="cursor" name="cursor" maxlength="200" autocomplete="off" spellcheck="false"></div>
        <button class="quiet" name="action" value="replay">Send again</button></form>
      <p class="hint">Each event has its <code>cursor</code>. Events keep their ids, and each costs one request when it is delivered.</p></details>
    <p><a href="${PATH}/${id}/delete">Delete endpoint</a></p>
    ${deliveriesSection(`${PATH}/${id}`, view)}`,
    html`<p><a href="${PATH}">Webhooks</a></p>`,
  );
}

function describeMonitors({ monitorIds }: WebhookEndpoint, monitors: readonly Monitor[]): Html {
  if (monitorIds === null) return html`Gets the events of all monitors.`;
  const known = monitors.filter(({ id }) => monitorIds.includes(id));
  if (known.length === 0) return html`Gets nothing: its monitors were deleted. Choose others below.`;
  const links = known.map(
    ({ id, name }, index) => html`${index > 0 && ', '}<a href="/dashboard/monitors/${id}">${showName(name)}</a>`,
  );
  return html`Gets the events of ${links}.`;
}

const action = (id: string, name: string, text: string) => html`<form method="post" action="${PATH}/${id}">
  <button class="quiet" name="action" value="${name}">${text}</button>
</form>`;

function messages({ done, problem, secret }: WebhooksView): Html {
  return html`${done}
    ${problem !== undefined && notice('bad', 'Request failed', problem)}
    ${secret !== undefined && notice('good', 'Signing secret', html`<p>Copy the secret now. It is shown only once.</p>${codeBlock('Secret', secret)}`)}`;
}

function frame({ visitor }: WebhooksView, title: string, content: Html, above?: Html): Html {
  const page = html`${above}<h1>${title}</h1>${content}`;
  return layout(title, page, { section: '/dashboard', visitor, scripts: ['copy.js'] });
}
