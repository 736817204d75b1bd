import { showName } from '../../base/display-text.ts';
import { type Html, html } from '../../base/html.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Monitor } from '../../watch/monitors/monitors.ts';
import { type Attempt, parseAttempts } from '../../watch/webhooks/delivery/exchange.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../watch/webhooks/endpoints.ts';
import { type DeliveryState, deliveryStates } from '../../watch/webhooks/states.ts';
import { highlight } from '../docs/highlight.ts';
import {
  type Column,
  codeBlock,
  factList,
  notice,
  type Problem,
  problemNotice,
  stackTable,
  textField,
} from '../parts/blocks.ts';
import { layout, type Visitor } from '../parts/layout.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { indentJson } from '../text/record-fields.ts';
import { removalPage } from './messages.ts';
import { choice } from './monitors.ts';

export interface WebhooksView {
  readonly visitor: Visitor;
  readonly monitors: readonly Monitor[];
  readonly done?: Html | undefined;
  readonly problem?: Problem | undefined;
  /** What the form contains: at first the endpoint as it is. */
  readonly form: Pick<WebhookEndpoint, 'url' | 'description' | 'monitorIds'>;
  readonly secret?: string | undefined;
}

const PATH = '/dashboard/webhooks';

export function webhooksPage(
  view: WebhooksView & {
    endpoints: readonly WebhookEndpoint[];
    limit: number;
    isOn: boolean;
    /** The address of the receiver that the demo has. */
    receiver: string | undefined;
  },
) {
  const { endpoints, limit, isOn, receiver } = view;
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
      ${endpoints.length > 0 && stackTable('Endpoints', endpoints, ENDPOINT_COLUMNS)}
      ${
        isOn
          ? endpoints.length < limit &&
            html`<h3>New endpoint</h3><form method="post" action="${PATH}">${endpointFields(view)}<button>Create endpoint</button></form>`
          : html`<p class="empty">Webhooks are not available on this server.</p>`
      }
    </section>`,
  );
}

const ENDPOINT_COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    label: 'Address',
    show: ({ id, url, description }) =>
      html`<a href="${PATH}/${id}"><bdi>${url}</bdi></a>${description !== null && html`<br><span class="quiet"><bdi>${description}</bdi></span>`}`,
  },
  { label: 'State', show: ({ disabledReason }) => stateBadge(disabledReason) },
  { label: 'Monitors', show: ({ monitorIds }) => (monitorIds === null ? 'all' : monitorIds.length) },
  { label: 'Created', show: ({ createdAt }) => formatMoment(createdAt) },
];

function stateBadge(reason: WebhookEndpoint['disabledReason']): Html {
  return reason === null
    ? html`<span class="badge good">Enabled</span>`
    : html`<span class="badge warn">Disabled</span>`;
}

export function webhookPage(view: WebhooksView & DeliveriesView & { endpoint: WebhookEndpoint }): Html {
  const { endpoint, monitors } = view;
  const { id, url, description, disabledReason, disabledAt, previousEndsAt } = endpoint;
  const isEnabled = disabledReason === null;
  const isRefused = view.problem?.field !== undefined;
  return frame(
    view,
    'Webhook endpoint',
    html`<p class="lead"><bdi>${url}</bdi> ${stateBadge(disabledReason)}${description !== null && html`<br><bdi>${description}</bdi>`}</p>
    ${messages(view)}
    ${!isEnabled && notice('warn', describeReason(disabledReason), html`Since ${formatMoment(disabledAt ?? 0)}. Nothing is lost: all events are sent when you enable it.`)}
    <p>${describeMonitors(endpoint, monitors)}</p>
    ${previousEndsAt !== null && html`<p>The previous secret also signs until ${formatMoment(previousEndsAt)}.</p>`}
    <div class="buttons">
      ${isEnabled && action(id, 'test', 'Send a test')}
      ${action(id, isEnabled ? 'disable' : 'enable', isEnabled ? 'Disable' : 'Enable')}
      ${action(id, 'rotate', 'Rotate secret')}
    </div>
    <details${isRefused && html` open`}><summary>Change the address or the monitors</summary>
      <form method="post" action="${PATH}/${id}">${endpointFields(view)}<button name="action" value="save">Save</button></form></details>
    <details><summary>Send events again</summary>
      <form class="inline" method="post" action="${PATH}/${id}"><div class="field">
        ${textField({ name: 'cursor', label: 'After this cursor (empty: all that are kept)', attributes: html`maxlength="200" spellcheck="false"` })}</div>
        <button class="quiet" name="action" value="replay">Send again</button></form>
      <p class="hint">Each event has its <code>cursor</code>. Events keep their ids, and each that was delivered costs one request again when it is sent.</p></details>
    <p><a href="${PATH}/${id}/delete">Delete endpoint</a></p>
    ${deliveriesSection(`${PATH}/${id}`, view)}`,
    html`<p><a href="${PATH}">Webhooks</a></p>`,
  );
}

export function deleteEndpointPage({ id, url }: { readonly id: string; readonly url: string }, visitor: Visitor): Html {
  const effect = 'Its deliveries are deleted, too. Those that wait are not sent.';
  const button = html`<button class="danger" name="action" value="delete">Delete endpoint</button>`;
  const back = `/dashboard/webhooks/${id}`;
  return removalPage({ verb: 'Delete', noun: 'endpoint', name: url, effect, button, action: back, back }, visitor);
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
    ${problemNotice(problem)}
    ${secret !== undefined && notice('good', 'Signing secret', html`<p>Copy the secret now. It is shown only once.</p>${codeBlock('Secret', secret)}`)}`;
}

function frame({ visitor }: WebhooksView, title: string, content: Html, above?: Html): Html {
  const page = html`${above}<h1>${title}</h1>${content}`;
  return layout(title, page, { section: '/dashboard', visitor, scripts: ['copy.js'] });
}

/** What the user chooses about an endpoint. `readEndpointFields` reads it. */
function endpointFields({ form: { url, description, monitorIds }, monitors, problem }: WebhooksView): Html {
  const radio = (value: string, label: string, isChosen: boolean) =>
    html`<label class="choice"><input type="radio" name="monitors" value="${value}"${isChosen && html` checked`}> ${label}</label>`;
  const [urlRules, isRefused] = [
    html`type="url" required maxlength="2000" placeholder="https://example.com/hooks"`,
    problem?.field === 'monitors',
  ];
  return html`${textField({ name: 'url', label: 'Address of your receiver', value: url, attributes: urlRules, problem })}
    ${textField({ name: 'description', label: 'What it is for (optional)', value: description ?? '', attributes: html`maxlength="200"` })}
    <fieldset${isRefused && html` aria-invalid="true" aria-describedby="monitors-problem" tabindex="-1" autofocus`}><legend>Monitors whose events it gets</legend>
      ${isRefused && html`<p class="problem" id="monitors-problem">${problem?.message}</p>`}
      ${radio('all', 'All, including future ones', monitorIds === null)}
      ${
        monitors.length === 0
          ? html`<p class="hint">You have no monitors yet. <a href="/dashboard/monitors">Create one</a>, or nothing will be sent.</p>`
          : html`${radio('some', 'Only these:', monitorIds !== null)}<div class="chosen">${monitors.map(
              ({ id, name }) => choice(`monitor:${id}`, showName(name), monitorIds?.includes(id) === true),
            )}</div>`
      }
    </fieldset>`;
}

/** A list without a monitor is left to the caller to refuse. */
export function readEndpointFields(form: Fields) {
  const ids = Object.keys(form).flatMap((name) => (name.startsWith('monitor:') ? [name.slice('monitor:'.length)] : []));
  const { url = '', description = '', monitors } = form;
  return {
    url: url.trim(),
    description: description.trim() || null,
    monitorIds: monitors === 'some' ? ids : null,
  };
}

interface DeliveriesView {
  readonly deliveries: readonly WebhookDelivery[];
  readonly state: DeliveryState | undefined;
  readonly next: string | undefined;
}

/** One page of the deliveries of an endpoint, the newest first, with what the receiver answered. */
function deliveriesSection(path: string, { deliveries, state, next }: DeliveriesView): Html {
  const link = (to: DeliveryState | undefined, label: string) =>
    to === state ? html`<strong>${label}</strong>` : html`<a href="${path}${to && `?state=${to}`}">${label}</a>`;
  return html`<section class="card wide" aria-labelledby="deliveries-title" id="deliveries">
    <h2 id="deliveries-title">Deliveries</h2>
    <p>${link(undefined, 'All')}${deliveryStates.map((each) => html` · ${link(each, STATE_LABELS[each])}`)}</p>
    ${deliveries.length === 0 ? html`<p class="empty">${state === undefined ? 'Nothing was sent yet.' : 'None.'}</p>` : stackTable('Deliveries', deliveries, DELIVERY_COLUMNS)}
    ${next !== undefined && html`<p><a href="${path}?${state && `state=${state}&`}before=${next}">Older deliveries</a></p>`}
  </section>`;
}

const STATE_LABELS: Readonly<Record<DeliveryState, string>> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
};

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    label: 'Event',
    show: ({ type, id, endpointId }) =>
      html`<a href="${PATH}/${endpointId}/deliveries/${id}">${type}</a><br><code>${id}</code>`,
  },
  {
    label: 'State',
    show: ({ state }) => deliveryBadge(state),
  },
  { label: 'Created', show: ({ createdAt }) => formatMoment(createdAt) },
  { label: 'Attempts', show: ({ attemptLog }) => parseAttempts(attemptLog).length },
  { label: 'Last answer', show: describeAnswer },
  { label: 'Next attempt', show: ({ state, nextAt }) => (state === 'waiting' ? formatMoment(nextAt) : '–') },
];

function describeAnswer({ attemptLog }: WebhookDelivery): Html | string {
  const last = parseAttempts(attemptLog).at(-1);
  if (last === undefined) return '–';
  return html`${last.status ?? last.reason}${last.body !== '' && html`<br><code><bdi>${last.body.slice(0, 200)}</bdi></code>`}`;
}

function deliveryBadge(state: DeliveryState): Html {
  return html`<span class="badge ${state === 'delivered' ? 'good' : 'warn'}">${state}</span>`;
}

/** Seconds until the page of a delivery that waits loads again. */
const REFRESH_SECONDS = 2;

/** What was sent, and what the receiver answered to each attempt. */
export function deliveryPage(endpoint: WebhookEndpoint, delivery: WebhookDelivery, visitor: Visitor): Html {
  const { id, type, state, createdAt, nextAt, attemptLog, payload } = delivery;
  const attempts = parseAttempts(attemptLog);
  const isFirst = state === 'waiting' && attempts.length === 0;
  const page = html`<p><a href="${PATH}">Webhooks</a> / <a href="${PATH}/${endpoint.id}"><bdi>${endpoint.url}</bdi></a></p>
    <h1>Delivery</h1>
    ${isFirst && html`<div data-waiting>${notice('info', 'On its way', 'This page shows the answer as soon as there is one.')}</div>`}
    ${factList([
      ['Event', html`${type}, <code>${id}</code>`],
      ['State', deliveryBadge(state)],
      ['Created', formatMoment(createdAt)],
      ...(state === 'waiting' ? [['Next attempt', formatMoment(nextAt)] as const] : []),
    ])}
    <h2>Attempts</h2>
    ${attempts.length === 0 ? html`<p class="empty">None yet.</p>` : stackTable('Attempts', attempts, ATTEMPT_COLUMNS)}
    <h2>Payload</h2>
    ${
      payload === null
        ? html`<p class="empty">Shown when it was sent.</p>`
        : codeBlock('Body of the request', highlight(indentJson(payload), 'json'), 'tall')
    }`;
  return layout('Delivery', page, {
    section: '/dashboard',
    visitor,
    scripts: ['copy.js', 'waiting.js'],
    ...(isFirst && { refreshSeconds: REFRESH_SECONDS }),
  });
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { label: 'When', show: ({ at }) => formatMoment(at) },
  { label: 'Status', show: ({ status, reason }) => status ?? reason },
  { label: 'Time', kind: 'keep', show: ({ tookMs }) => `${formatCount(tookMs)} ms` },
  { label: 'Answer', show: ({ body }) => (body === '' ? '–' : html`<code><bdi>${body}</bdi></code>`) },
];

/** What the dashboard says about monitors, and about webhooks: how many there are, and which one does not work any more. */
export function webhooksSection(endpoints: readonly WebhookEndpoint[]): Html {
  return html`<section class="card" aria-labelledby="webhooks-title" id="webhooks">
    <h2 id="webhooks-title">Monitors and webhooks</h2>
    <p>A monitor reports what changes about companies that you choose. <a href="/dashboard/monitors">Manage monitors</a></p>
    <p>${endpoints.length === 0 ? 'We can send the events of your monitors to your server.' : `${formatAmount(endpoints.length, 'endpoint')}.`}
    <a href="/dashboard/webhooks">Manage webhooks</a></p>
  </section>`;
}

export function webhookWarning(endpoints: readonly WebhookEndpoint[]): Html[] {
  const stopped = endpoints.filter(({ disabledReason }) => disabledReason !== null && disabledReason !== 'owner');
  return stopped.map(({ id, url, disabledReason }) =>
    notice(
      'bad',
      'A webhook endpoint is disabled',
      html`${describeReason(disabledReason)}: <a href="/dashboard/webhooks/${id}"><bdi>${url}</bdi></a>. Events wait until you enable it again.`,
    ),
  );
}

function describeReason(reason: WebhookEndpoint['disabledReason']): string {
  switch (reason) {
    case 'failing':
      return 'Ten attempts to deliver an event failed';
    case 'gone':
      return 'The receiver answered 410 Gone';
    case 'operator':
      return 'The operator of this service disabled it';
    default:
      return 'You disabled it';
  }
}
