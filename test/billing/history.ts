import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { parseSubscription, type Subscription } from '../../src/billing/events.ts';
import { PRICES, renderEvent, renderSubscription } from '../harness/payment-events.ts';

/**
 * Random histories of subscriptions as the provider would report them, and the entitlement each ends in. That is
 * computed by a separate model, which knows only the last thing that happened, not how the service finds that out.
 */
export interface Step {
  readonly kind: 'created' | 'updated' | 'paused' | 'resumed' | 'deleted';
  /** Seconds since the previous step. Steps of the same second are the difficult ones. */
  readonly gap: number;
  readonly status: string;
  readonly price: string;
  readonly month: number;
  readonly cancelAtPeriodEnd: boolean;
  /** Has the period on the subscription, as API versions before 2025 do. */
  readonly oldShape: boolean;
}

export type Link = 'stored' | 'metadata' | 'checkout';

export interface History {
  /** How the provider's customer is linked to our account. */
  readonly link: Link;
  /** Whether every second subscription belongs to a second customer of the same account. */
  readonly twoCustomers: boolean;
  readonly lives: readonly (readonly Step[])[];
}

const UNKNOWN_PRICE = 'price_of_something_else';
/** 2026-01-01, where the clocks of tests start. */
const EPOCH = 1_767_225_600;

const content = {
  status: fc.constantFrom('active', 'active', 'active', 'trialing', 'past_due', 'unpaid', 'incomplete'),
  month: fc.integer({ min: 0, max: 3 }),
  cancelAtPeriodEnd: fc.boolean(),
  oldShape: fc.boolean(),
};

const ourPrice = fc.constantFrom<string>(PRICES.pro, PRICES.business);
const tightGap = fc.constantFrom(0, 0, 0, 1, 30);

function life(gap: fc.Arbitrary<number>, price: fc.Arbitrary<string>): fc.Arbitrary<readonly Step[]> {
  const stepOf = <K extends Step['kind']>(
    kind: K,
    more: { status?: fc.Arbitrary<string>; gap?: fc.Arbitrary<number> } = {},
  ) => fc.record({ ...content, kind: fc.constant(kind), gap, price, ...more });
  const change = fc.oneof(
    { weight: 4, arbitrary: stepOf('updated') },
    { weight: 1, arbitrary: stepOf('paused', { status: fc.constant('paused') }) },
    { weight: 1, arbitrary: stepOf('resumed', { status: fc.constant('active') }) },
  );
  const first = stepOf('created', { gap: fc.integer({ min: 0, max: 5 }) });
  const end = stepOf('deleted', { status: fc.constant('canceled') });
  return fc
    .tuple(first, fc.array(change, { maxLength: 5 }), fc.option(end, { nil: undefined }))
    .map(([begin, middle, last]) => [begin, ...middle, ...(last ? [last] : [])]);
}

/**
 * Unknown prices occur only without ties: the provider's answer to a tie could be a price that we cannot map to a plan.
 */
const someLife = fc.oneof(
  { weight: 4, arbitrary: life(tightGap, ourPrice) },
  { weight: 1, arbitrary: life(fc.integer({ min: 1, max: 9 }), fc.oneof(ourPrice, fc.constant(UNKNOWN_PRICE))) },
);

export function histories(maxLives: number): fc.Arbitrary<History> {
  return fc.record({
    link: fc.constantFrom<Link>('stored', 'metadata', 'checkout'),
    twoCustomers: fc.boolean(),
    lives: fc.array(someLife, { minLength: 1, maxLength: maxLives }),
  });
}

/** Whether two different steps of the same rank happen in the same second: only then may the provider be asked. */
export function hasTie({ lives }: History): boolean {
  return lives.some((steps) => {
    const seen = new Set<string>();
    let now = 0;
    return steps.some(({ kind, gap }) => {
      now += gap;
      const slot = `${now} ${kind === 'created' || kind === 'deleted' ? kind : 'change'}`;
      const isTaken = seen.has(slot);
      seen.add(slot);
      return isTaken;
    });
  });
}

export interface Delivery {
  readonly text: string;
  /** The index of the life it reports on; undefined for the checkout. */
  readonly life: number | undefined;
  readonly step: number;
}

/** A history as events of a new customer. */
export interface Story {
  readonly customerIds: readonly string[];
  readonly deliveries: readonly Delivery[];
  subscriptionId(life: number): string;
  /** What the provider would answer right after a step. */
  stateAt(life: number, step: number): Subscription;
  readonly lastStep: (life: number) => number;
  /** The entitlement of the account after the last step. */
  readonly expected: { readonly plan: string; readonly periodStart: number | null; readonly periodEnd: number | null };
}

export function tell({ link, twoCustomers, lives }: History, accountId: string): Story {
  const run = randomUUID();
  const customerIds = twoCustomers ? [`cus_0_${run}`, `cus_1_${run}`] : [`cus_${run}`];
  const subscriptionId = (index: number) => `sub_${index}_${run}`;
  const times = lives.map((steps) => {
    let now = EPOCH;
    return steps.map(({ gap }) => (now += gap));
  });
  const objectOf = (at: number, step: Step) =>
    renderSubscription({
      id: subscriptionId(at),
      customer: customerIds[at % customerIds.length] as string,
      ...(link === 'metadata' && { accountId }),
      status: step.status,
      price: step.price,
      period: periodOf(step),
      periodOnTop: step.oldShape,
      cancelAtPeriodEnd: step.cancelAtPeriodEnd,
    });
  const deliveries: Delivery[] = lives.flatMap((steps, at) =>
    steps.map((step, index) => ({
      text: renderEvent({
        type: `customer.subscription.${step.kind}`,
        created: times[at]?.[index] ?? 0,
        object: objectOf(at, step),
      }),
      life: at,
      step: index,
    })),
  );
  if (link === 'checkout') {
    for (const customer of customerIds) {
      const object = { id: `cs_${customer}`, customer, client_reference_id: accountId };
      const text = renderEvent({ type: 'checkout.session.completed', created: EPOCH, object });
      deliveries.push({ text, life: undefined, step: 0 });
    }
  }
  return {
    customerIds,
    deliveries,
    subscriptionId,
    lastStep: (at) => (lives[at]?.length ?? 0) - 1,
    stateAt(at, index) {
      const step = lives[at]?.[index] as Step;
      const subscription = parseSubscription(objectOf(at, step), planOfPrice);
      if (subscription === undefined) throw new Error('the model produced an invalid subscription');
      return subscription;
    },
    expected: bestOf(lives),
  };
}

export const planOfPrice = (price: string) =>
  price === PRICES.pro ? 'pro' : price === PRICES.business ? 'business' : undefined;

function periodOf({ month }: Step): [number, number] {
  return [EPOCH + month * 2_592_000, EPOCH + (month + 1) * 2_592_000];
}

/**
 * Takes the last step with a known price of each life, and of those that are live the best plan with the latest end.
 */
function bestOf(lives: readonly (readonly Step[])[]): Story['expected'] {
  const live = lives
    .map((steps) => steps.findLast(({ price, status }) => price !== UNKNOWN_PRICE || !entitles(status)))
    .filter((step) => step !== undefined)
    .filter(({ status }) => entitles(status));
  const business = live.filter(({ price }) => price === PRICES.business);
  const [best] = (business.length > 0 ? business : live).toSorted((a, b) => b.month - a.month);
  if (best === undefined) return { plan: 'free', periodStart: null, periodEnd: null };
  const [start, end] = periodOf(best);
  return {
    plan: best.price === PRICES.business ? 'business' : 'pro',
    periodStart: start * 1_000,
    periodEnd: end * 1_000,
  };
}

function entitles(status: string): boolean {
  return ['active', 'trialing', 'past_due'].includes(status);
}
