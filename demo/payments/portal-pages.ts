import type { Routes } from '../../src/http/app.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import { sendPage } from '../../src/portal/visitor.ts';
import { PaymentError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { sendDeadEnd, sendFormPage } from './page-frame.ts';
import { findOwnSubscription, type PortalCall, portalActions } from './portal-actions.ts';
import { changePage, confirmPage, type OpenChange, pathOf, portalPage } from './portal-view.ts';
import { findPrice } from './prices.ts';
import { findById, type PortalSession } from './state.ts';
import { catchUp } from './time.ts';

/** The customer portal. The address of a session is the only credential, as with Stripe. */
export function registerPortalPages(app: Routes, ledger: Ledger): void {
  const url = pathOf(':id');

  app.get<PortalRequest>(url, async ({ params, query }, reply) => {
    const portal = openPortal(ledger, params.id);
    if (portal === undefined || !isOpen(ledger, portal)) return sendClosed(reply, portal);
    const change = findOpenChange(ledger, portal);
    if (change !== undefined) return sendFormPage(reply, changePage(portal, change), change.doneUrl);
    const confirmation = findById(portalActions, query.done ?? '')?.confirmation;
    return sendPage(reply, portalPage({ ledger, portal, confirmation }));
  });

  app.get<PortalRequest>(`${url}/cancel`, async ({ params, query }, reply) => {
    const portal = openPortal(ledger, params.id);
    if (portal === undefined || !isOpen(ledger, portal)) return sendClosed(reply, portal);
    const subscription = findById(ledger.state.subscriptions, query.subscription ?? '');
    const isOwn = subscription?.customer === portal.session.customer;
    if (subscription === undefined || !isOwn || subscription.status === 'canceled') {
      return reply.redirect(pathOf(portal.session.id), 303);
    }
    return sendPage(reply, confirmPage(portal, subscription));
  });

  app.post<PortalRequest>(url, async ({ params, body }, reply) => {
    const portal = openPortal(ledger, params.id);
    if (portal === undefined || !isOpen(ledger, portal)) return sendClosed(reply, portal);
    const form = new URLSearchParams(String(body ?? ''));
    try {
      return runAction({ ledger, customer: portal.session.customer, form }, portal, reply);
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

function runAction(call: PortalCall, portal: PortalSession, reply: HttpReply): HttpReply {
  const name = call.form.get('action') ?? '';
  const action = findById(portalActions, name);
  if (action === undefined) throw new PaymentError('Unknown action.');
  const path = pathOf(portal.session.id);
  if (name === 'cancel-now' && call.form.get('confirmed') !== 'true') {
    return reply.redirect(`${path}/cancel?subscription=${findOwnSubscription(call).id}`, 303);
  }
  const change = name === 'change-plan' ? findOpenChange(call.ledger, portal) : undefined;
  action.run(call);
  if (change !== undefined) return reply.redirect(change.doneUrl, 303);
  return reply.redirect(`${path}?done=${name}`, 303);
}

function openPortal(ledger: Ledger, id: string): PortalSession | undefined {
  catchUp(ledger);
  return findById(ledger.state.portalSessions, id);
}

/** The change that this session was opened for, unless it was made already or the subscription has ended. */
function findOpenChange(ledger: Ledger, { change }: PortalSession): OpenChange | undefined {
  const subscription = change && findById(ledger.state.subscriptions, change.subscription);
  const to = change && findPrice(change.price);
  if (change === undefined || subscription === undefined || to === undefined) return undefined;
  const { price: from } = subscription.items.data[0];
  if (subscription.status === 'canceled' || from.id === to.id) return undefined;
  return { subscription: subscription.id, from, to, doneUrl: change.doneUrl };
}

function isOpen(ledger: Ledger, { openUntil }: PortalSession): boolean {
  return ledger.realNow() < openUntil;
}

function sendClosed(reply: HttpReply, portal: PortalSession | undefined): HttpReply {
  if (portal === undefined) {
    return sendDeadEnd(reply, 404, { title: 'Portal not found', text: 'This link does not belong to a customer.' });
  }
  const text = 'Links to the portal work for one hour. Open it again from your dashboard.';
  const back = portal.session.return_url;
  return sendDeadEnd(reply, 410, { title: 'This portal session has expired', text, back });
}
