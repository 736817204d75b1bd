import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import Stripe from 'stripe';
import {
  chooseSubscription,
  entitlementOf,
  type Known,
  parseEvent,
  parseSubscription,
  type Subscription,
} from '../../src/billing/events.ts';
import { isSigned } from '../../src/billing/webhook.ts';

const planOfPrice = (price: string) =>
  price === 'price_pro' ? 'pro' : price === 'price_business' ? 'business' : undefined;
const START = 1_773_576_000;
const END = 1_776_254_400;

/** The shape of API versions since 2025. */
const current = {
  id: 'sub_1',
  object: 'subscription',
  customer: 'cus_1',
  status: 'active',
  cancel_at: null,
  cancel_at_period_end: false,
  metadata: { accountId: 'account-1' },
  items: {
    object: 'list',
    data: [
      {
        id: 'si_1',
        current_period_start: START,
        current_period_end: END,
        price: { id: 'price_pro', object: 'price' },
        plan: { id: 'price_pro', object: 'plan' },
      },
    ],
  },
};
/** The shape of API versions of 2020. */
const { data: items } = current.items;
const old = {
  ...current,
  current_period_start: START,
  current_period_end: END,
  plan: { id: 'price_pro', object: 'plan' },
  items: {
    object: 'list',
    data: [{ id: 'si_1', plan: { id: 'price_pro' }, price: { id: 'price_pro' } }],
    total_count: 1,
  },
};
const expected: Subscription = {
  id: 'sub_1',
  customerId: 'cus_1',
  accountId: 'account-1',
  status: 'active',
  plan: 'pro',
  periodStart: START * 1_000,
  periodEnd: END * 1_000,
  cancelAtPeriodEnd: false,
};

describe('reading a subscription', () => {
  const cases: Record<string, { object: object; reads: Partial<Subscription> }> = {
    'of today': { object: current, reads: {} },
    'of 2020': { object: old, reads: {} },
    'with an expanded customer': { object: { ...current, customer: { id: 'cus_1', object: 'customer' } }, reads: {} },
    'where both places tell a period: that of the item': {
      object: { ...current, current_period_start: 1, current_period_end: 2 },
      reads: {},
    },
    'with several items: that of the best plan, with its period': {
      object: {
        ...current,
        items: {
          data: [
            { price: { id: 'price_seat' }, current_period_start: 1, current_period_end: 2 },
            { price: { id: 'price_pro' }, current_period_start: 3, current_period_end: 4 },
            { ...items[0], price: { id: 'price_business' } },
          ],
        },
      },
      reads: { plan: 'business' },
    },
    'of a price that is not ours': {
      object: { ...current, items: { data: [{ ...items[0], price: 'price_mug', plan: null }] } },
      reads: { plan: null },
    },
    'to be cancelled at its end': {
      object: { ...current, cancel_at_period_end: true },
      reads: { cancelAtPeriodEnd: true },
    },
    'to be cancelled at its end, said by a date': {
      object: { ...current, cancel_at: END },
      reads: { cancelAtPeriodEnd: true },
    },
    'to be cancelled within its period': {
      object: { ...current, cancel_at: END - 1, cancel_at_period_end: false },
      reads: { cancelAtPeriodEnd: true },
    },
    'to be cancelled later than its end': {
      object: { ...current, cancel_at: END + 1 },
      reads: {},
    },
    'without a period': {
      object: { ...current, items: { data: [{ price: 'price_pro' }] } },
      reads: { periodStart: null, periodEnd: null },
    },
    'with nonsense for times and metadata': {
      object: {
        ...current,
        metadata: ['x'],
        items: { data: [{ price: 'price_pro', current_period_start: '1', current_period_end: -1 }] },
      },
      reads: { accountId: null, periodStart: null, periodEnd: null },
    },
    'of an empty metadata value': { object: { ...current, metadata: { accountId: '' } }, reads: { accountId: null } },
  };
  for (const [title, { object, reads }] of Object.entries(cases)) {
    test(title, () => assert.deepEqual(parseSubscription(object, planOfPrice), { ...expected, ...reads }));
  }

  for (const object of [null, [], 'sub_1', {}, { id: 'sub_1' }, { ...current, id: 7 }, { ...current, status: 'a b' }]) {
    test(`not a subscription: ${JSON.stringify(object)?.slice(0, 40)}`, () =>
      assert.equal(parseSubscription(object, planOfPrice), undefined));
  }
});

test('what an event changes depends only on the event and our prices', () => {
  const parse = (type: string, object: unknown) =>
    parseEvent(JSON.stringify({ id: 'evt_1', type, created: 5, data: { object } }), planOfPrice);
  const event = { id: 'evt_1', created: 5, snapshot: null };
  const noAccount = { customerId: null, subscriptionId: null, accountId: null };
  const owner = { customerId: 'cus_1', subscriptionId: 'sub_1', accountId: 'account-1' };
  const statuses: Record<string, string> = { deleted: 'canceled', paused: 'paused' };
  const ranks = { created: 1, updated: 2, paused: 2, resumed: 2, deleted: 3 };
  for (const [name, eventRank] of Object.entries(ranks)) {
    const kind = `customer.subscription.${name}`;
    const state = { ...expected, status: statuses[name] ?? 'active' };
    const snapshot = { state, position: { asOf: 5, eventRank, eventId: 'evt_1' } };
    assert.deepEqual(parse(kind, current), { ...event, ...owner, kind, outcome: 'applied', snapshot });
  }
  const unpaid = parse('customer.subscription.deleted', { ...current, status: 'incomplete_expired' });
  assert.equal(unpaid.snapshot?.state.status, 'incomplete_expired');
  const mug = { ...current, items: { data: [{ price: 'price_mug' }] } };
  const kind = 'customer.subscription.updated';
  assert.deepEqual(parse(kind, mug), { ...event, ...owner, kind, outcome: 'unknown_price' });
  const ended = parse('customer.subscription.deleted', { ...mug, status: 'canceled' });
  assert.deepEqual([ended.outcome, ended.snapshot?.state.plan], ['applied', null]);
  const checkout = 'checkout.session.completed';
  const session = { customer: 'cus_1', client_reference_id: 'account-1', subscription: 'sub_1' };
  const link = { ...owner, subscriptionId: null, outcome: 'applied' };
  assert.deepEqual(parse(checkout, session), { ...event, ...link, kind: checkout });
  for (const unreadable of [checkout, kind])
    assert.deepEqual(parse(unreadable, {}), { ...event, ...noAccount, kind: unreadable, outcome: 'unreadable' });
  for (const other of ['invoice.paid', 'constructor', 'customer.subscription.trial_will_end'])
    assert.deepEqual(parse(other, current), { ...event, ...noAccount, kind: other, outcome: 'ignored' });
});

describe('the entitlement', () => {
  const one: Known = { ...expected, asOf: 1 };
  const free = { plan: 'free', periodAnchor: null, periodEnd: null };
  test('without subscriptions is free', () => assert.deepEqual(entitlementOf([]), free));
  test('is the best live plan, whichever is newer', () => {
    const dear = { ...one, id: 'sub_2', plan: 'business' as const, asOf: 0, periodEnd: 5 };
    for (const all of [
      [one, dear],
      [dear, one],
    ]) {
      assert.deepEqual(entitlementOf(all), {
        plan: 'business',
        periodAnchor: START * 1_000,
        periodEnd: 5,
      });
    }
  });
  test('of two subscriptions with the same plan comes from the one that ends last', () => {
    const longer = { ...one, id: 'sub_0', periodEnd: END * 1_000 + 1 };
    for (const all of [
      [one, longer],
      [longer, one],
    ])
      assert.equal(entitlementOf(all).periodEnd, END * 1_000 + 1);
  });
  test('shows the subscription that was updated last if none is live', () => {
    const [older, newer] = [
      { ...one, status: 'canceled' },
      { ...one, id: 'sub_2', status: 'unpaid', periodEnd: 5, asOf: 2 },
    ];
    for (const all of [
      [older, newer],
      [newer, older],
    ])
      assert.equal(chooseSubscription(all)?.id, newer.id);
  });
  test('ignores subscriptions that are not live, whatever their plan', () => {
    assert.deepEqual(entitlementOf([{ ...one, plan: 'business', status: 'unpaid' }]), free);
    assert.equal(entitlementOf([{ ...one, id: 'sub_2', plan: 'business', status: 'paused' }, one]).plan, 'pro');
  });
  for (const status of ['unpaid', 'paused', 'incomplete', 'incomplete_expired', 'canceled', 'unknown']) {
    test(`is free if the subscription is ${status}`, () => assert.deepEqual(entitlementOf([{ ...one, status }]), free));
  }
  for (const status of ['active', 'trialing', 'past_due']) {
    test(`is the plan if the subscription is ${status}, even cancelled and long after its period`, () => {
      const over = { ...one, status, periodEnd: 1, cancelAtPeriodEnd: true };
      assert.equal(entitlementOf([over]).plan, 'pro');
    });
  }
});

const NOW = 1_773_576_000_000;
const stripe = new Stripe('sk_test_unused');
const signWithSdk = (payload: string, secret: string, timestamp = NOW / 1_000) =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

test('a signature of the official SDK is accepted, with any of the secrets and for any text', () => {
  const property = fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (payload, secret) => {
    assert.ok(isSigned(Buffer.from(payload), signWithSdk(payload, secret), ['another', secret], NOW));
    assert.ok(!isSigned(Buffer.from(payload), signWithSdk(payload, secret), ['another'], NOW));
    assert.ok(!isSigned(Buffer.from(payload), signWithSdk(payload, secret), [], NOW));
  });
  fc.assert(property, { numRuns: 500 });
});

test('upper-case hex digits are accepted', () => {
  const [time, signature = ''] = signWithSdk('{}', 'secret').split(',v1=');
  assert.ok(isSigned(Buffer.from('{}'), `${time},v1=${signature.toUpperCase()}`, ['secret'], NOW));
});

test('a signature is rejected if one bit of body or signature is changed', () => {
  const payload = '{"id":"evt_1","type":"ping","created":1}';
  const header = signWithSdk(payload, 'secret');
  for (let bit = 0; bit < payload.length * 8; bit++) {
    const body = Buffer.from(payload);
    body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(!isSigned(body, header, ['secret'], NOW));
  }
  for (let at = header.indexOf('v1=') + 3; at < header.length; at++) {
    const other = header[at] === '0' ? '1' : '0';
    assert.ok(!isSigned(Buffer.from(payload), header.slice(0, at) + other + header.slice(at + 1), ['secret'], NOW));
  }
});

test('malformed headers are rejected without an exception', () => {
  const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('t=', 'v1=', ',', `t=${NOW / 1_000}`, 'v1=zz', '=')));
  const property = fc.property(parts, (pieces) => {
    assert.equal(isSigned(Buffer.from('x'), pieces.join(''), ['secret'], NOW), false);
  });
  fc.assert(property, { numRuns: 1_000 });
});
