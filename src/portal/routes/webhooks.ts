import { setTimeout as sleep } from 'node:timers/promises';
import type { SignedIn } from '../../accounts/accounts.ts';
import { fail } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { deliveryStates } from '../../watch/webhooks/states.ts';
import { setFlash, takeFlash } from '../flash.ts';
import {
  deleteEndpointPage,
  deliveryPage,
  readEndpointFields,
  type WebhooksView,
  webhookPage,
  webhooksPage,
} from '../pages/webhooks.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, sendPage } from '../visitor.ts';
import { type AccountForms, type AccountPages, type AccountRequest, requireId, takeProblem } from './account-pages.ts';

type Messages = Pick<WebhooksView, 'problem' | 'secret'>;

const PATH = '/dashboard/webhooks';
const LATEST = 50;
const [TEST_MS, POLL_MS] = [2_000, 50];
/** As many monitors as a plan allows, each chosen. */
const MAX_BODY_BYTES = 32 * 1024;
/** Exists in the demo only. */
const RECEIVER = '/demo/webhooks';
const SHOWN = [
  'invalid_request',
  'webhook_endpoint_limit_reached',
  'webhook_endpoint_disabled',
  'account_rate_limit_exceeded',
  'webhooks_unavailable',
];

/** The pages about webhook endpoints. Every change is a form, so it works without JavaScript. */
export function registerWebhookPages(app: Routes, services: PageServices, pages: AccountPages): void {
  const { webhooks, monitors, publicUrl } = services;

  async function showAll(reply: HttpReply, signedIn: SignedIn, given: Fields = {}, shown: Messages = {}) {
    const { accountId, plan } = signedIn.account;
    const [endpoints, own] = await Promise.all([webhooks.list(accountId), monitors.list(accountId)]);
    const visitor = describeVisitor(signedIn);
    const done = takeFlash(reply, publicUrl());
    const receiver = app.hasRoute('POST', RECEIVER) ? publicUrl() + RECEIVER : undefined;
    const view = { visitor, endpoints, monitors: own, limit: plan.maxApiKeys, isOn: webhooks.isOn, done, receiver };
    return sendPage(reply, webhooksPage({ ...view, form: readEndpointFields(given), ...shown }));
  }

  async function showOne(
    reply: HttpReply,
    signedIn: SignedIn,
    { params: { id }, query, body = {} }: AccountRequest,
    shown: Messages = {},
  ) {
    const { accountId } = signedIn.account;
    const endpoint = await find(accountId, id);
    const state = deliveryStates.find((each) => each === query.state);
    const before = typeof query.before === 'string' && /^msg_\w{1,56}$/.test(query.before) ? query.before : undefined;
    const found = await webhooks.listDeliveries(accountId, endpoint.id, { state, before, limit: LATEST + 1 });
    const deliveries = found.slice(0, LATEST);
    const next = found.length > LATEST ? deliveries.at(-1)?.id : undefined;
    const form = shown.problem === undefined ? endpoint : readEndpointFields(body);
    const view = { visitor: describeVisitor(signedIn), endpoint, form, monitors: await monitors.list(accountId) };
    const done = takeFlash(reply, publicUrl());
    return sendPage(reply, webhookPage({ ...view, deliveries, state, next, done, ...shown }));
  }

  /** Most receivers answer while the form is still being sent, so that the next page shows their answer at once. */
  async function sendTest(accountId: string, id: string): Promise<string> {
    const { id: delivery } = await webhooks.sendTest(accountId, id);
    for (let waited = 0; waited < TEST_MS; waited += POLL_MS) {
      if ((await webhooks.findDelivery(accountId, id, delivery))?.attemptLog !== '[]') break;
      await sleep(POLL_MS);
    }
    return delivery;
  }

  const find = async (accountId: string, id: string) =>
    webhooks.find(accountId, requireId(id, 'webhook_endpoint_not_found'));

  pages.get(
    PATH,
    (_request, reply, signedIn) => showAll(reply, signedIn),
    () => PATH,
  );
  pages.get(
    `${PATH}/:id`,
    (request, reply, signedIn) => showOne(reply, signedIn, request),
    () => PATH,
  );
  pages.get(
    `${PATH}/:id/deliveries/:delivery`,
    async ({ params }, reply, signedIn) => {
      const { accountId } = signedIn.account;
      const endpoint = await find(accountId, params.id);
      const delivery = await webhooks.findDelivery(accountId, endpoint.id, params.delivery);
      if (delivery === undefined) throw fail('not_found');
      return sendPage(reply, deliveryPage(endpoint, delivery, describeVisitor(signedIn)));
    },
    () => PATH,
  );
  pages.get(
    `${PATH}/:id/delete`,
    async (request, reply, signedIn) => {
      const endpoint = await find(signedIn.account.accountId, request.params.id);
      return sendPage(reply, deleteEndpointPage(endpoint, describeVisitor(signedIn)));
    },
    () => PATH,
  );

  const forms: AccountForms = {
    async [PATH](request, reply, signedIn) {
      try {
        const { secret } = await webhooks.create(signedIn.account, readChoice(request.body));
        return await showAll(reply, signedIn, {}, { secret });
      } catch (error) {
        return showAll(reply, signedIn, request.body, { problem: takeProblem(error, reply, SHOWN) });
      }
    },
    async [`${PATH}/:id`](request, reply, signedIn) {
      const { accountId } = signedIn.account;
      const { id, url } = await find(accountId, request.params.id);
      const confirm = (kind: Parameters<typeof setFlash>[2], to = `${PATH}/${id}`) =>
        setFlash(reply, publicUrl(), kind, url).redirect(to, 303);
      try {
        switch (request.body?.action) {
          case 'rotate':
            return await showOne(reply, signedIn, request, { secret: (await webhooks.rotate(accountId, id)).secret });
          case 'test':
            return reply.redirect(`${PATH}/${id}/deliveries/${await sendTest(accountId, id)}`, 303);
          case 'replay':
            await webhooks.replay(accountId, id, request.body.cursor?.trim() || undefined);
            return confirm('webhook-sent');
          case 'save':
            await webhooks.update(accountId, id, readChoice(request.body));
            return confirm('webhook-changed');
          case 'enable':
          case 'disable':
            await webhooks.update(accountId, id, { enabled: request.body.action === 'enable' });
            return confirm('webhook-changed');
          case 'delete':
            await webhooks.remove(accountId, id);
            return confirm('webhook-deleted', PATH);
          default:
            throw fail('invalid_request', { message: 'Choose what to do with the endpoint.' });
        }
      } catch (error) {
        return showOne(reply, signedIn, request, { problem: takeProblem(error, reply, SHOWN) });
      }
    },
  };
  pages.post(forms, undefined, MAX_BODY_BYTES);
}

function readChoice(form: Fields = {}) {
  const chosen = readEndpointFields(form);
  if (chosen.monitorIds === null || (chosen.monitorIds.length > 0 && chosen.monitorIds.every(isUuid))) return chosen;
  throw fail('invalid_request', { message: 'Choose at least one monitor, or all of them.', field: 'monitors' });
}
