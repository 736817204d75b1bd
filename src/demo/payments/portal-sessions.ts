import type { Stripe } from 'stripe';
import { findCustomer } from './customers.ts';
import { notFound } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger, PaymentState } from './ledger.ts';

/** A way into the customer portal: who has its address may act for the customer, so it is good for a short time. */
export interface PortalSession {
  readonly session: ReturnType<typeof makeSession>;
  /** Milliseconds of the real clock: moving sandbox time on from the portal must not close the portal. */
  readonly openUntil: number;
}

const OPEN_MS = 3_600_000;
/** Enough to say "expired" to whoever comes back to one of these; older ones are forgotten. */
const KEPT_SESSIONS = 100;

export function createPortalSession(ledger: Ledger, customer: string, returnUrl: string | undefined): PortalSession {
  findCustomer(ledger.state, customer, 'customer');
  const { portalSessions } = ledger.state;
  const made = { session: makeSession(customer, returnUrl, ledger.now()), openUntil: ledger.realNow() + OPEN_MS };
  portalSessions[made.session.id] = made;
  for (const id of Object.keys(portalSessions).slice(0, -KEPT_SESSIONS)) delete portalSessions[id];
  return made;
}

export function findPortalSession({ portalSessions }: PaymentState, id: string): PortalSession {
  const found = Object.hasOwn(portalSessions, id) ? portalSessions[id] : undefined;
  if (found === undefined) throw notFound('billing_portal.session', id);
  return found;
}

function makeSession(customer: string, returnUrl: string | undefined, created: number) {
  return {
    id: makeId('bps', 48),
    object: 'billing_portal.session' as const,
    configuration: 'bpc_demo',
    created,
    customer,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    return_url: returnUrl ?? null,
    // Filled in when it is shown, for the server may have another address by then.
    url: '',
  } satisfies Stripe.BillingPortal.Session;
}
