import { fail } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type BillingEvent, readEvent, refuse } from './events.ts';
import type { BillingParts } from './parts.ts';
import { lastSecond } from './provider.ts';
import { isSigned } from './signature.ts';
import { insertEvent } from './store.ts';

/** The answer to a delivered event. */
interface Receipt {
  /** The event had been applied before. */
  readonly duplicate: boolean;
  /** The stored state of the subscription is newer; nothing changed. */
  readonly stale: boolean;
}

/** Takes the raw body and the signature header. */
export type ReceiveEvent = (body: Uint8Array, signature: string | undefined) => Promise<Receipt>;

export function createWebhook(parts: Omit<BillingParts, 'provider'>): ReceiveEvent {
  const { db, clock, log, settings, planOfPrice, applier } = parts;
  return async (body, signature) => {
    const secrets = settings()?.webhookSecrets ?? [];
    if (secrets.length === 0) {
      const message = 'No webhook secret is configured on this server.';
      throw fail('billing_unavailable', { message, missing: 'STRIPE_WEBHOOK_SECRET' });
    }
    if (!isSigned(body, signature, secrets, clock.now())) throw fail('invalid_signature');
    const text = decode(body);
    const event = readEvent(text, planOfPrice);
    if (event.created > lastSecond(settings(), clock.now())) throw refuse('"created" lies in the future');
    // Committed before it is applied: after a crash from here on, the event is stored and will be applied.
    await insertEvent(db, event, text, clock.now());
    const { outcome, duplicate, accountId } = await applier.applyEvent(event);
    logOutcome(log, event, duplicate ? 'duplicate' : outcome, accountId);
    return { duplicate, stale: !duplicate && outcome === 'stale' };
  };
}

/** Logs ids only: payloads contain names and addresses of people. */
export function logOutcome(log: Log, event: BillingEvent, outcome: string, accountId: string | null): void {
  const isOurs = outcome !== 'ignored' && outcome !== 'duplicate';
  const fields = { event: event.id, kind: event.kind, outcome, accountId };
  if (outcome === 'unknown_price') {
    log.warn(
      fields,
      'a payment event has a price that is not configured: see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS',
    );
  } else if (outcome === 'unreadable') log.warn(fields, 'a payment event could not be parsed');
  else if (isOurs && accountId === null)
    log.warn(fields, 'a payment event belongs to no account: see "firmament billing events --unmatched"');
  else log.info(fields, 'payment event');
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw refuse('it must be UTF-8');
  }
}
