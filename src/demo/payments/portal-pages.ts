import type { FastifyInstance, FastifyReply } from 'fastify';
import { sendPage } from '../../web/send-page.ts';
import { PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import { sendDeadEnd } from './page-frame.ts';
import { findOwnSubscription, type PortalCall, portalActions } from './portal-actions.ts';
import { findPortalSession, type PortalSession } from './portal-sessions.ts';
import { confirmPage, pathOf, portalPage } from './portal-view.ts';
import type { ControlServices } from './sandbox-controls.ts';
import { catchUp } from './time.ts';

/** The customer portal: whoever knows the address of a session may act for its customer, as with Stripe. */
export function registerPortalPages(app: FastifyInstance, services: ControlServices): void {
  const { ledger } = services;
  const url = pathOf(':id');

  app.get<PortalRequest>(url, async ({ params, query }, reply) => {
    const portal = openPortal(services, params.id);
    if (portal === undefined || !isOpen(services, portal)) return sendOver(reply, portal);
    const done = query.done ?? '';
    const said = Object.hasOwn(portalActions, done) ? portalActions[done]?.said : undefined;
    return sendPage(reply, portalPage({ ledger, portal, said }));
  });

  app.get<PortalRequest>(`${url}/cancel`, async ({ params, query }, reply) => {
    const portal = openPortal(services, params.id);
    if (portal === undefined || !isOpen(services, portal)) return sendOver(reply, portal);
    const subscription = Object.values(ledger.state.subscriptions).find(({ id }) => id === query.subscription);
    const isTheirs = subscription?.customer === portal.session.customer;
    if (subscription === undefined || !isTheirs || subscription.status === 'canceled') {
      return reply.redirect(pathOf(portal.session.id), 303);
    }
    return sendPage(reply, confirmPage(portal, subscription));
  });

  app.post<PortalRequest>(url, async ({ params, body }, reply) => {
    const portal = openPortal(services, params.id);
    if (portal === undefined || !isOpen(services, portal)) return sendOver(reply, portal);
    const form = new URLSearchParams(String(body ?? ''));
    const cause = { id: makeId('req', 14), idempotency_key: null };
    try {
      return act({ ...services, customer: portal.session.customer, form, cause }, portal, reply);
    } catch (error) {
      if (!(error instanceof PaymentError)) throw error;
      return sendPage(reply.code(error.status), portalPage({ ledger, portal, problem: error.message }));
    }
  });
}

interface PortalRequest {
  Params: { id: string };
  Querystring: { done?: string; subscription?: string };
}

function act(call: PortalCall, portal: PortalSession, reply: FastifyReply): FastifyReply {
  const name = call.form.get('action') ?? '';
  const action = Object.hasOwn(portalActions, name) ? portalActions[name] : undefined;
  if (action === undefined) throw new PaymentError('The portal does not know this button.');
  const path = pathOf(portal.session.id);
  if (name === 'cancel-now' && call.form.get('confirmed') !== 'true') {
    return reply.redirect(`${path}/cancel?subscription=${findOwnSubscription(call).id}`, 303);
  }
  action.act(call);
  return reply.redirect(`${path}?done=${name}`, 303);
}

function openPortal({ ledger }: ControlServices, id: string): PortalSession | undefined {
  catchUp(ledger);
  try {
    return findPortalSession(ledger.state, id);
  } catch {
    return undefined;
  }
}

function isOpen({ ledger }: ControlServices, { openUntil }: PortalSession): boolean {
  return ledger.realNow() < openUntil;
}

function sendOver(reply: FastifyReply, portal: PortalSession | undefined): FastifyReply {
  if (portal === undefined) {
    return sendDeadEnd(reply, 404, { title: 'No such portal session', text: 'This address leads to no customer.' });
  }
  const text = 'The way into the portal is good for an hour. Open it again from your account.';
  const back = portal.session.return_url ?? undefined;
  return sendDeadEnd(reply, 410, { title: 'This portal session has expired', text, back });
}
