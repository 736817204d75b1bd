import { findCustomer } from './customers.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import type { PortalChange, PortalSession } from './state.ts';

/** Sessions of the customer portal. Anyone who has the address can act for the customer, so it expires after an hour. */
const OPEN_MS = 3_600_000;
/** Enough to answer "expired" to recent visitors; older sessions are answered "not found". */
const MAX_SESSIONS = 100;

export function createPortalSession(
  ledger: Ledger,
  customer: string,
  returnUrl: string,
  change?: PortalChange,
): PortalSession {
  findCustomer(ledger.state, customer, 'customer');
  const { portalSessions } = ledger.state;
  const identity = { id: makeId('bps', 48), object: 'billing_portal.session' } as const;
  const session = { ...identity, created: ledger.now(), customer, return_url: returnUrl };
  const portal = { session, openUntil: ledger.realNow() + OPEN_MS, ...(change && { change }) };
  portalSessions[session.id] = portal;
  for (const id of Object.keys(portalSessions).slice(0, -MAX_SESSIONS)) delete portalSessions[id];
  return portal;
}
