import { createHmac, timingSafeEqual } from 'node:crypto';
import { fail } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { decodeBody } from '../base/requests/form-fields.ts';
import type { BillingParts } from './apply.ts';
import {
  type BillingEvent,
  type EventOutcome,
  isLive,
  isUnderstood,
  LAST_SECOND,
  parseEvent,
  refuse,
  type Subscription,
  sameState,
} from './events.ts';
import type { PaymentSettings } from './provider.ts';
import * as store from './store.ts';

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
    const text = decodeBody(body);
    const event = parseEvent(text, planOfPrice);
    if (event.created > lastSecond(settings(), clock.now())) throw refuse('"created" lies in the future');
    // The event is committed before it is applied: after a crash from here on, it is stored and will be applied.
    await store.insertEvent(db, event, text, clock.now());
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
function logOutcome(log: Log, event: BillingEvent, outcome: string, accountId: string | null): void {
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

/** The maximum difference between the time of signing and our clock: limits how long a captured request can be replayed. */
const TOLERANCE_SECONDS = 300;

/**
 * Checks the header `t=<seconds>,v1=<hex>[,v1=<hex>…]`, where each `v1` is an HMAC-SHA256 of `<t>.<body>`. During a
 * rotation the provider sends several signatures and we accept several secrets; one matching pair is enough. All pairs
 * are always compared, so the time taken does not reveal which one matched.
 */
export function isSigned(body: Uint8Array, header: string | undefined, secrets: readonly string[], nowMs: number) {
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

export type Facts = Pick<Subscription, 'status' | 'plan' | 'periodStart' | 'periodEnd' | 'cancelAtPeriodEnd'>;

export interface Difference {
  readonly subscriptionId: string;
  readonly accountId: string | null;
  readonly stored: Facts | null;
  /** Null if the provider does not know the subscription. */
  readonly provider: Facts | null;
  /** `unknown_price`: the price of the subscription is not configured, so its plan is not known. */
  readonly result: 'differs' | 'unknown_price';
}

/** The outcome, or why the event cannot be applied again: a reduced event has no payload. */
type Replayed =
  | { readonly outcome: EventOutcome }
  | { readonly problem: 'unknown' }
  | { readonly problem: 'reduced'; readonly reducedAt: number };

/** The webhook is probably still applying newer events. */
const UNAPPLIED_AFTER_MS = 30_000;
const BATCH_SIZE = 100;

export type Sync = ReturnType<typeof createSync>;

/** Applies events that were stored before a crash, and finds events that were lost. A plan changes only by a signed event. */
export function createSync(parts: Omit<BillingParts, 'settings'>) {
  const { db, clock, log, provider, planOfPrice, applier } = parts;

  async function* compareAll(): AsyncIterable<Difference> {
    const stored = new Map((await store.listSubscriptions(db)).map((known) => [known.id, known]));
    for await (const found of provider.listAll()) {
      yield* compare(stored.get(found.id), found);
      stored.delete(found.id);
    }
    // A subscription is not in the list if it was created after the list was read, or if the provider does not know it.
    for (const known of stored.values()) yield* compare(known, await provider.findSubscription(known.id));
  }

  return {
    /** Applies events that are stored but not applied, and asks the provider to settle ties between events. */
    async recover(): Promise<void> {
      for (const { payload } of await store.listUnapplied(db, clock.now() - UNAPPLIED_AFTER_MS, BATCH_SIZE)) {
        const event = parseEvent(payload, planOfPrice);
        try {
          const { outcome, duplicate, accountId } = await applier.applyEvent(event);
          if (!duplicate) logOutcome(log, event, outcome, accountId);
        } catch (error) {
          // One failing event must not block the others.
          log.warn({ err: error, event: event.id }, 'a stored payment event could not be applied: will retry');
        }
      }
      // Ties stay open until a provider is configured.
      if (!provider.isConfigured()) return;
      for (const known of await store.listUnsettled(db, BATCH_SIZE)) await applier.settle(known);
    },
    async replay(eventId: string): Promise<Replayed> {
      const stored = await store.findPayload(db, eventId);
      if (stored === undefined) return { problem: 'unknown' };
      const { payload, reducedAt } = stored;
      if (reducedAt !== null) return { problem: 'reduced', reducedAt };
      const { outcome } = await applier.applyEvent(parseEvent(payload, planOfPrice), { again: true });
      return { outcome };
    },
    /** Compares every stored subscription with the provider's and reports the differences. Changes nothing. */
    compareAll,
    countDifferences: async (): Promise<number> => (await Array.fromAsync(compareAll())).length,
  };
}

/** The difference between the stored state of a subscription and the provider's. An empty list if the two agree. */
function compare(known: store.StoredSubscription | undefined, found: Subscription | undefined): Difference[] {
  const subscription = found ?? known;
  if (subscription === undefined || agree(known, found)) return [];
  return [
    {
      subscriptionId: subscription.id,
      accountId: known?.accountId ?? subscription.accountId,
      stored: factsOf(known),
      provider: factsOf(found),
      result: found === undefined || isUnderstood(found) ? 'differs' : 'unknown_price',
    },
  ];
}

/** A subscription that the provider does not know agrees with a stored one that has ended. */
function agree(known: store.StoredSubscription | undefined, found: Subscription | undefined): boolean {
  if (found === undefined) return known === undefined || !isLive(known);
  return known === undefined ? !isUnderstood(found) : isUnderstood(found) && sameState(known, found);
}

function factsOf(subscription: Subscription | undefined): Facts | null {
  if (subscription === undefined) return null;
  const { status, plan, periodStart, periodEnd, cancelAtPeriodEnd } = subscription;
  return { status, plan, periodStart, periodEnd, cancelAtPeriodEnd };
}
