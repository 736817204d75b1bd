import type { FastifyInstance, FastifyReply } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { setFlash, takeFlash } from '../flash.ts';
import { registerForms } from '../forms.ts';
import { type WebhooksView, webhookPage, webhooksPage } from '../pages/webhooks.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor } from '../visitor.ts';
import type { AccountPages, DashboardServices } from './account-pages.ts';

export interface WebhookPageServices extends DashboardServices {
  readonly webhooks: Webhooks;
}

type Messages = Pick<WebhooksView, 'problem' | 'secret'>;
interface EndpointRequest {
  readonly params: { readonly id: string };
}

const PATH = '/dashboard/webhooks';
const LATEST = 50;
/** Errors that the user can fix. */
const SHOWN = ['invalid_request', 'webhook_endpoint_limit_reached', 'webhooks_unavailable'];

/** The pages about webhook endpoints. Every change is a form, so it works without JavaScript. */
export function registerWebhookPages(app: FastifyInstance, services: WebhookPageServices, pages: AccountPages): void {
  const { webhooks, publicUrl, site } = services;
  const { signedInOnly } = pages;

  async function showAll(reply: FastifyReply, signedIn: SignedIn, shown: Messages = {}): Promise<FastifyReply> {
    const { accountId, plan } = signedIn.account;
    const endpoints = await webhooks.list(accountId);
    const visitor = describeVisitor(signedIn);
    const done = takeFlash(reply, publicUrl());
    const view = { visitor, endpoints, limit: plan.maxApiKeys, isOn: webhooks.isOn, done, ...shown };
    return sendPage(reply, webhooksPage(view));
  }

  async function showOne(reply: FastifyReply, signedIn: SignedIn, id: string, shown: Messages = {}) {
    const { accountId } = signedIn.account;
    const endpoint = await find(accountId, id);
    const deliveries = await webhooks.listDeliveries(accountId, id, { limit: LATEST });
    const done = takeFlash(reply, publicUrl());
    return sendPage(reply, webhookPage({ visitor: describeVisitor(signedIn), endpoint, deliveries, done, ...shown }));
  }

  async function find(accountId: string, id: string) {
    if (!isUuid(id)) throw fail('webhook_endpoint_not_found');
    return webhooks.find(accountId, id);
  }

  function describeProblem(error: unknown, reply: FastifyReply): string {
    if (!(error instanceof Failure) || !SHOWN.includes(error.code)) throw error;
    reply.code(statusOf(error.code));
    return error.message;
  }

  app.get(
    PATH,
    signedInOnly(
      (_request, reply, signedIn) => showAll(reply, signedIn),
      () => PATH,
    ),
  );
  app.get(
    `${PATH}/:id`,
    signedInOnly<EndpointRequest>(
      (request, reply, signedIn) => showOne(reply, signedIn, request.params.id),
      () => PATH,
    ),
  );

  registerForms(app, site, (scope) => {
    scope.post(
      PATH,
      signedInOnly<{ body: Fields | undefined }>(async (request, reply, signedIn) => {
        try {
          const { secret } = await webhooks.create(signedIn.account, { url: (request.body?.url ?? '').trim() });
          return await showAll(reply, signedIn, { secret });
        } catch (error) {
          return showAll(reply, signedIn, { problem: describeProblem(error, reply) });
        }
      }),
    );
    scope.post(
      `${PATH}/:id`,
      signedInOnly<EndpointRequest & { body: Fields | undefined }>(async (request, reply, signedIn) => {
        const [{ accountId }, { id }] = [signedIn.account, request.params];
        const { url } = await find(accountId, id);
        const confirm = (kind: Parameters<typeof setFlash>[2], to = `${PATH}/${id}`) =>
          setFlash(reply, publicUrl(), kind, url).redirect(to, 303);
        try {
          switch (request.body?.action) {
            case 'rotate':
              return await showOne(reply, signedIn, id, { secret: (await webhooks.rotate(accountId, id)).secret });
            case 'test':
              await webhooks.sendTest(accountId, id);
              return confirm('webhook-sent');
            case 'replay':
              await webhooks.replay(accountId, id, undefined);
              return confirm('webhook-sent');
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
          return showOne(reply, signedIn, id, { problem: describeProblem(error, reply) });
        }
      }),
    );
  });
}
