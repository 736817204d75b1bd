import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { BillingParts } from './apply.ts';
import { type BillingEvent, parseEvent, refuse } from './events.ts';
import type { PaymentSettings } from './provider.ts';
import { insertEvent } from './store.ts';
import { LAST_SECOND } from './subscription.ts';

interface Receipt {
  readonly duplicate: boolean;
  /** The stored state of the subscription is newer; nothing changed. */
  readonly stale: boolean;
}

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
    const event = parseEvent(text, planOfPrice);
    if (event.created > lastSecond(settings(), clock.now())) throw refuse('"created" lies in the future');
    // The event is committed before it is applied: after a crash from here on, it is stored and will be applied.
    await insertEvent(db, event, text, clock.now());
    const { outcome, duplicate, accountId } = await applier.applyEvent(event);
    logOutcome(log, event, duplicate ? 'duplicate' : outcome, accountId);
    return { duplicate, stale: !duplicate && outcome === 'stale' };
  };
}

/**
 * The latest second that an event can have. A state with a later second would make all real events stale until then. A signature is at most
 * `TOLERANCE_SECONDS` ahead of our clock, and an event happens before it is signed, so no real event is later.
 */
function lastSecond(settings: PaymentSettings | undefined, now: number): number {
  return settings?.movesTime === true ? LAST_SECOND : Math.floor(now / 1_000) + TOLERANCE_SECONDS;
}

/** Logs ids only: payloads contain names and addresses of people. */
export function logOutcome(log: Log, event: BillingEvent, outcome: string, accountId: string | null): void {
  const fields = { event: event.id, kind: event.kind, outcome, accountId };
  const isOurs = outcome !== 'ignored' && outcome !== 'duplicate';
  if (outcome === 'unknown_price') log.warn(fields, UNKNOWN_PRICE);
  else if (outcome === 'unreadable') log.warn(fields, 'a payment event could not be parsed');
  else if (isOurs && accountId === null) log.warn(fields, NO_ACCOUNT);
  else log.info(fields, 'payment event');
}

const UNKNOWN_PRICE =
  'a payment event has a price that is not configured: see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS';
const NO_ACCOUNT = 'a payment event belongs to no account: see "firmament billing events --unmatched"';

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw refuse('it must be UTF-8');
  }
}

/** The maximum difference between the time of signing and our clock: limits how long a captured request can be replayed. */
const TOLERANCE_SECONDS = 300;

/**
 * Checks the header `t=<seconds>,v1=<hex>[,v1=<hex>…]`, where each `v1` is an HMAC-SHA256 of `<t>.<body>`. During a
 * rotation the provider sends several signatures and we accept several secrets; one matching pair is enough. All pairs
 * are always compared, so the time taken does not reveal which one matched.
 */
export function isSigned(
  body: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
  nowMs: number,
): boolean {
  const given = header === undefined ? undefined : parseHeader(header);
  if (given === undefined) return false;
  const isRecent = Math.abs(Math.floor(nowMs / 1_000) - Number(given.time)) <= TOLERANCE_SECONDS;
  let matches = false;
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(`${given.time}.`).update(body).digest();
    for (const signature of given.signatures) if (timingSafeEqual(expected, signature)) matches = true;
  }
  return matches && isRecent;
}

/** `time` is the original text, which is part of the signed content. */
function parseHeader(header: string) {
  const parts = header.split(',').map((part) => part.trim());
  const values = (key: string) =>
    parts.flatMap((part) => (part.startsWith(`${key}=`) ? part.slice(key.length + 1) : []));
  const [time, ...otherTimes] = values('t');
  if (time === undefined || otherTimes.length > 0 || !/^\d{1,12}$/.test(time)) return undefined;
  const signatures = values('v1').filter((hex) => /^[0-9a-f]{64}$/i.test(hex));
  return signatures.length === 0 ? undefined : { time, signatures: signatures.map((hex) => Buffer.from(hex, 'hex')) };
}
