import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedIn } from '../../accounts/accounts.ts';
import { showName } from '../../base/display-text.ts';
import { fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { isUuid } from '../../base/ids.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { Monitor } from '../../watch/monitors/monitor.ts';
import { type Attempt, parseAttempts } from '../../watch/webhooks/delivery/exchange.ts';
import { type DeliveryState, deliveryStates } from '../../watch/webhooks/events.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../watch/webhooks/webhooks.ts';
import {
  type AccountForms,
  type AccountPages,
  type AccountRequest,
  orShow,
  requireId,
  type Shown,
  type ShowProblem,
} from '../account.ts';
import { highlight } from '../docs/highlight.ts';
import {
  type Column,
  checkbox,
  codeBlock,
  factList,
  notice,
  type Problem,
  section,
  stackTable,
  textField,
} from '../parts/blocks.ts';
import type { PageServices } from '../services.ts';
import { formatAmount, formatCount, formatMoment } from '../text/formatting.ts';
import { indentJson, labelOf } from '../text/record-fields.ts';

const PATH = '/dashboard/webhooks';
const LATEST = 50;
const [TEST_MS, POLL_MS] = [2_000, 50];
/** Enough for a form in which the maximum number of monitors is chosen. */
const MAX_BODY_BYTES = 32 * 1024;
/** A receiver that exists only in the demo. */
const RECEIVER = '/demo/webhooks';

/** The pages about webhook endpoints. Every change is a form, so changes work without JavaScript. */
export function registerWebhookPages(app: Routes, services: PageServices, pages: AccountPages): void {
  const { webhooks, monitors, publicUrl } = services;

  const find = async (accountId: string, id: string) =>
    webhooks.find(accountId, requireId(id, 'webhook_endpoint_not_found'));

  async function showAll(reply: HttpReply, signedIn: SignedIn, given: Fields = {}, shown: Shown = {}) {
    const { accountId, plan } = signedIn.account;
    const [endpoints, own] = await Promise.all([webhooks.list(accountId), monitors.list(accountId)]);
    const receiver = app.hasRoute('POST', RECEIVER) && publicUrl() + RECEIVER;
    const fields = endpointFields(parseEndpointFields(given), own, shown.problem);
    const isFull = endpoints.length >= plan.maxApiKeys;
    const list = html`<p>${endpoints.length} of ${plan.maxApiKeys} in use.</p>
      ${endpoints.length > 0 && stackTable('Endpoints', endpoints, ENDPOINT_COLUMNS)}
      ${webhooks.isOn && !isFull && html`<h3>New endpoint</h3><form method="post" action="${PATH}">${fields}<button>Create endpoint</button></form>`}
      ${!webhooks.isOn && html`<p class="empty">Webhooks are not available on this server.</p>`}`;
    const content = html`${receiver && notice('info', 'This demo has a receiver', html`<a href="${receiver}">Its page</a> shows what arrives, and checks the signatures. Its address is <code>${receiver}</code>.`)}
    ${section('endpoints', 'Endpoints', list, 'card wide')}`;
    const lead = html`We send the events of your monitors to your server, signed. <a class="keep" href="/docs/webhooks">How to receive them</a> ·
      <a href="/dashboard/monitors">Monitors</a>`;
    return pages.send(reply, signedIn, { title: 'Webhooks', above: [], lead, ...shown }, content, FRAME);
  }

  async function showOne(request: AccountRequest, reply: HttpReply, signedIn: SignedIn, shown: Shown = {}) {
    const { accountId } = signedIn.account;
    const { params, query, body = {} } = request;
    const { problem } = shown;
    const endpoint = await find(accountId, params.id);
    const { id, url, description, disabledReason, disabledAt, previousEndsAt } = endpoint;
    const state = deliveryStates.find((each) => each === query.state);
    const before = typeof query.before === 'string' && /^msg_\w{1,56}$/.test(query.before) ? query.before : undefined;
    const [own, deliveries] = await Promise.all([
      monitors.list(accountId),
      webhooks.listDeliveries(accountId, id, { state, before, limit: LATEST + 1 }),
    ]);
    const isEnabled = disabledReason === null;
    const fields = endpointFields(
      problem && body.action === 'save' ? parseEndpointFields(body) : endpoint,
      own,
      problem,
    );
    const lead = html`<bdi>${url}</bdi> ${stateBadge(disabledReason)}${description !== null && html`<br><bdi>${description}</bdi>`}`;
    const content = html`${!isEnabled && notice('warn', REASONS[disabledReason], html`Since ${formatMoment(disabledAt ?? 0)}. Nothing is lost: all events are sent when you enable it.`)}
    <p>${describeMonitors(endpoint, own)}</p>
    ${previousEndsAt !== null && html`<p>The previous secret also signs until ${formatMoment(previousEndsAt)}.</p>`}
    <div class="buttons">
      ${isEnabled && action(id, 'test', 'Send a test')}
      ${action(id, isEnabled ? 'disable' : 'enable', isEnabled ? 'Disable' : 'Enable')}
      ${action(id, 'rotate', 'Rotate secret')}
    </div>
    <details${problem?.field !== undefined && html` open`}><summary>Change the address or the monitors</summary>
      <form method="post" action="${PATH}/${id}">${fields}<button name="action" value="save">Save</button></form></details>
    <details><summary>Send events again</summary>
      <form class="inline" method="post" action="${PATH}/${id}"><div class="field">
        ${textField({ name: 'cursor', label: 'After this cursor (empty: all that are kept)', attributes: html`maxlength="200" spellcheck="false"` })}</div>
        <button class="quiet" name="action" value="replay">Send again</button></form>
      <p class="hint">Each event has its <code>cursor</code>. Events keep their ids, and each that was delivered costs one request again when it is sent.</p></details>
    <p><a href="${PATH}/${id}/delete">Delete endpoint</a></p>
    ${deliveriesSection(`${PATH}/${id}`, deliveries, state)}`;
    return pages.send(reply, signedIn, { title: 'Webhook endpoint', above: [ABOVE], lead, ...shown }, content, FRAME);
  }

  /** Sends a test and waits for the receiver for a moment, so that in most cases the next page already shows the answer. */
  async function sendTest(accountId: string, id: string): Promise<string> {
    const { id: delivery } = await webhooks.sendTest(accountId, id);
    for (let waited = 0; waited < TEST_MS; waited += POLL_MS) {
      if ((await webhooks.findDelivery(accountId, id, delivery))?.attemptLog !== '[]') break;
      await sleep(POLL_MS);
    }
    return delivery;
  }

  const toList = () => PATH;
  pages.get(PATH, (_request, reply, signedIn) => showAll(reply, signedIn), toList);
  pages.get(`${PATH}/:id`, showOne, toList);
  pages.get(
    `${PATH}/:id/deliveries/:delivery`,
    async ({ params }, reply, signedIn) => {
      const { accountId } = signedIn.account;
      const endpoint = await find(accountId, params.id);
      const delivery = await webhooks.findDelivery(accountId, endpoint.id, params.delivery);
      if (delivery === undefined) throw fail('not_found');
      const isFirst = delivery.state === 'waiting' && parseAttempts(delivery.attemptLog).length === 0;
      const above = [ABOVE, [`${PATH}/${endpoint.id}`, html`<bdi>${endpoint.url}</bdi>`]] as const;
      const frame = { scripts: ['copy.js', 'waiting.js'], ...(isFirst && { refreshSeconds: REFRESH_SECONDS }) };
      return pages.send(reply, signedIn, { title: 'Delivery', above }, describeDelivery(delivery, isFirst), frame);
    },
    toList,
  );
  pages.askRemoval(`${PATH}/:id/delete`, PATH, async ({ params }, accountId) => {
    const { id, url } = await find(accountId, params.id);
    const effect = 'Its deliveries are deleted, too. Those that wait are not sent.';
    const page = `${PATH}/${id}`;
    return { verb: 'Delete', noun: 'endpoint', name: url, effect, action: page, back: page };
  });

  const showFormAgain: ShowProblem = ({ body }, reply, signedIn, problem) =>
    showAll(reply, signedIn, body, { problem });
  const showOneAgain: ShowProblem = (request, reply, signedIn, problem) =>
    showOne(request, reply, signedIn, { problem });
  const forms: AccountForms = {
    [PATH]: orShow(showFormAgain, async ({ body }, reply, signedIn) => {
      const { secret } = await webhooks.create(signedIn.account, requireEndpoint(body));
      return showAll(reply, signedIn, {}, secretNotice(secret));
    }),
    [`${PATH}/:id`]: orShow(showOneAgain, async (request, reply, signedIn) => {
      const { accountId } = signedIn.account;
      const { params, body } = request;
      const { id, url } = await find(accountId, params.id);
      const page = `${PATH}/${id}`;
      switch (body?.action) {
        case 'rotate':
          return showOne(request, reply, signedIn, secretNotice((await webhooks.rotate(accountId, id)).secret));
        case 'test':
          return reply.redirect(`${page}/deliveries/${await sendTest(accountId, id)}`, 303);
        case 'replay':
          await webhooks.replay(accountId, id, body.cursor?.trim() || undefined);
          return pages.confirm(reply, 'webhook-sent', url, page);
        case 'save':
          await webhooks.update(accountId, id, requireEndpoint(body));
          return pages.confirm(reply, 'webhook-changed', url, page);
        case 'enable':
        case 'disable':
          await webhooks.update(accountId, id, { enabled: body.action === 'enable' });
          return pages.confirm(reply, 'webhook-changed', url, page);
        case 'delete':
          await webhooks.remove(accountId, id);
          return pages.confirm(reply, 'webhook-deleted', url, PATH);
        default:
          throw fail('invalid_request', { message: 'Choose what to do with the endpoint.' });
      }
    }),
  };
  pages.post(forms, undefined, MAX_BODY_BYTES);
}

const ABOVE = [PATH, 'Webhooks'] as const;
const FRAME = { scripts: ['copy.js'] };

function secretNotice(secret: string): Shown {
  const text = html`<p>Copy the secret now. It is shown only once.</p>${codeBlock('Secret', secret)}`;
  return { done: notice('good', 'Signing secret', text) };
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

/** The form fields of an endpoint. `parseEndpointFields` parses these fields. */
function endpointFields(
  { url, description, monitorIds }: Pick<WebhookEndpoint, 'url' | 'description' | 'monitorIds'>,
  monitors: readonly Monitor[],
  problem: Problem | undefined,
): Html {
  const radio = (value: string, label: string, isChosen: boolean) =>
    html`<label class="choice"><input type="radio" name="monitors" value="${value}"${isChosen && html` checked`}> ${label}</label>`;
  const urlRules = html`type="url" required maxlength="2000" placeholder="https://example.com/hooks"`;
  const isRefused = problem?.field === 'monitors';
  return html`${textField({ name: 'url', label: 'Address of your receiver', value: url, attributes: urlRules, problem })}
    ${textField({ name: 'description', label: 'What it is for (optional)', value: description ?? '', attributes: html`maxlength="200"` })}
    <fieldset${isRefused && html` aria-invalid="true" aria-describedby="monitors-problem" tabindex="-1" autofocus`}><legend>Monitors whose events it gets</legend>
      ${isRefused && html`<p class="problem" id="monitors-problem">${problem?.message}</p>`}
      ${radio('all', 'All, including future ones', monitorIds === null)}
      ${
        monitors.length === 0
          ? html`<p class="hint">You have no monitors yet. <a href="/dashboard/monitors">Create one</a>, or nothing will be sent.</p>`
          : html`${radio('some', 'Only these:', monitorIds !== null)}<div class="chosen">${monitors.map(
              ({ id, name }) => checkbox(`monitor:${id}`, showName(name), monitorIds?.includes(id) === true),
            )}</div>`
      }
    </fieldset>`;
}

function parseEndpointFields(form: Fields) {
  const ids = Object.keys(form).flatMap((name) => (name.startsWith('monitor:') ? [name.slice('monitor:'.length)] : []));
  const { url = '', description = '', monitors } = form;
  return {
    url: url.trim(),
    description: description.trim() || null,
    monitorIds: monitors === 'some' ? ids : null,
  };
}

function requireEndpoint(form: Fields = {}) {
  const chosen = parseEndpointFields(form);
  if (chosen.monitorIds === null || (chosen.monitorIds.length > 0 && chosen.monitorIds.every(isUuid))) return chosen;
  throw fail('invalid_request', { message: 'Choose at least one monitor, or all of them.', field: 'monitors' });
}

/** One page of the deliveries of an endpoint, the newest first, with the answers of the receiver. */
function deliveriesSection(path: string, found: readonly WebhookDelivery[], state: DeliveryState | undefined): Html {
  const deliveries = found.slice(0, LATEST);
  const next = found.length > LATEST ? deliveries.at(-1)?.id : undefined;
  const link = (to: DeliveryState | undefined, label: string) =>
    to === state ? html`<strong>${label}</strong>` : html`<a href="${path}${to && `?state=${to}`}">${label}</a>`;
  const content = html`<p>${link(undefined, 'All')}${deliveryStates.map((each) => html` · ${link(each, labelOf(each))}`)}</p>
    ${deliveries.length === 0 ? html`<p class="empty">${state === undefined ? 'Nothing was sent yet.' : 'None.'}</p>` : stackTable('Deliveries', deliveries, DELIVERY_COLUMNS)}
    ${next !== undefined && html`<p><a href="${path}?${state && `state=${state}&`}before=${next}">Older deliveries</a></p>`}`;
  return section('deliveries', 'Deliveries', content, 'card wide');
}

const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  {
    label: 'Event',
    show: ({ type, id, endpointId }) =>
      html`<a href="${PATH}/${endpointId}/deliveries/${id}">${type}</a><br><code>${id}</code>`,
  },
  { label: 'State', show: ({ state }) => deliveryBadge(state) },
  { label: 'Created', show: ({ createdAt }) => formatMoment(createdAt) },
  { label: 'Attempts', show: ({ attemptLog }) => parseAttempts(attemptLog).length },
  {
    label: 'Last answer',
    show({ attemptLog }) {
      const { status, reason, body = '' } = parseAttempts(attemptLog).at(-1) ?? {};
      return html`${status ?? reason ?? '–'}${body !== '' && html`<br><code><bdi>${body.slice(0, 200)}</bdi></code>`}`;
    },
  },
  { label: 'Next attempt', show: ({ state, nextAt }) => (state === 'waiting' ? formatMoment(nextAt) : '–') },
];

function deliveryBadge(state: DeliveryState): Html {
  return html`<span class="badge ${state === 'delivered' ? 'good' : 'warn'}">${state}</span>`;
}

/** The page of a waiting delivery loads again after this many seconds. */
const REFRESH_SECONDS = 2;

/** Describes the sent payload, and the receiver's answer to each attempt. */
function describeDelivery(delivery: WebhookDelivery, isFirst: boolean): Html {
  const { id, type, state, createdAt, nextAt, attemptLog, payload } = delivery;
  const attempts = parseAttempts(attemptLog);
  return html`${isFirst && html`<div data-waiting>${notice('info', 'On its way', 'This page shows the answer as soon as there is one.')}</div>`}
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
}

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  { label: 'When', show: ({ at }) => formatMoment(at) },
  { label: 'Status', show: ({ status, reason }) => status ?? reason },
  { label: 'Time', kind: 'keep', show: ({ tookMs }) => `${formatCount(tookMs)} ms` },
  { label: 'Answer', show: ({ body }) => (body === '' ? '–' : html`<code><bdi>${body}</bdi></code>`) },
];

/** The section of the dashboard about monitors and webhooks: the number of endpoints, and the endpoints that no longer work. */
export function webhooksSection(endpoints: readonly WebhookEndpoint[]): Html {
  const content = html`<p>A monitor reports what changes about companies that you choose. <a href="/dashboard/monitors">Manage monitors</a></p>
    <p>${endpoints.length === 0 ? 'We can send the events of your monitors to your server.' : `${formatAmount(endpoints.length, 'endpoint')}.`}
    <a href="/dashboard/webhooks">Manage webhooks</a></p>`;
  return section('webhooks', 'Monitors and webhooks', content, 'card');
}

export function webhookWarning(endpoints: readonly WebhookEndpoint[]): Html[] {
  const stopped = endpoints.filter(({ disabledReason }) => disabledReason !== null && disabledReason !== 'owner');
  return stopped.map(({ id, url, disabledReason }) =>
    notice(
      'bad',
      'A webhook endpoint is disabled',
      html`${REASONS[disabledReason ?? 'owner']}: <a href="/dashboard/webhooks/${id}"><bdi>${url}</bdi></a>. Events wait until you enable it again.`,
    ),
  );
}

const REASONS: Readonly<Record<NonNullable<WebhookEndpoint['disabledReason']>, string>> = {
  failing: 'Ten attempts to deliver an event failed',
  gone: 'The receiver answered 410 Gone',
  operator: 'The operator of this service disabled it',
  owner: 'You disabled it',
};
