import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Stripe from 'stripe';
import { testClock } from '../harness/clock.ts';
import { buyPlan, operatePortal, type PaymentWorld, startPaymentWorld } from '../harness/payments.ts';

const at = (time: string) => Date.parse(time) / 1000;

/** What has arrived since the last look. */
async function takeEvents({ sandbox, receiver }: PaymentWorld): Promise<Stripe.Event[]> {
  await sandbox.settled();
  return receiver.events.splice(0);
}

const typesOf = (events: readonly Stripe.Event[]) => events.map(({ type }) => type);
const subscriptionOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Subscription;
const invoiceOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Invoice;
const previousOf = (event: Stripe.Event | undefined) => event?.data.previous_attributes;

async function startSubscribed(time = '2026-01-31T12:00:00Z') {
  const clock = testClock(time);
  const world = await startPaymentWorld({ clock });
  const bought = await buyPlan(world);
  world.receiver.events.splice(0);
  const read = () => world.stripe.subscriptions.retrieve(bought.subscription.id);
  return { ...world, ...bought, clock, read };
}

describe('a subscription', () => {
  test('changes its plan: updated, with the price that was', async () => {
    await using world = await startSubscribed();
    const { stripe, subscription, portal, read } = world;
    const items = [{ id: subscription.items.data[0]?.id ?? '', price: 'price_demo_business' }];
    const changed = await stripe.subscriptions.update(subscription.id, { items });
    assert.equal(changed.items.data[0]?.price.id, 'price_demo_business');
    const [event, ...others] = await takeEvents(world);
    assert.deepEqual([event?.type, others], ['customer.subscription.updated', []]);
    assert.equal(subscriptionOf(event).items.data[0]?.price.id, 'price_demo_business');
    const previous = previousOf(event) as { items: { data: Stripe.SubscriptionItem[] } };
    assert.deepEqual(Object.keys(previous), ['items']);
    assert.equal(previous.items.data[0]?.price.id, 'price_demo_pro');

    await stripe.subscriptions.update(subscription.id, { items });
    assert.deepEqual(await takeEvents(world), [], 'nothing changed, nothing to tell');

    const page = await operatePortal(portal, 'change-plan', { price: 'price_demo_pro' });
    assert.match(page.text, /The plan was changed\./);
    assert.equal((await read()).items.data[0]?.price.id, 'price_demo_pro');
    assert.deepEqual(typesOf(await takeEvents(world)), ['customer.subscription.updated']);
  });

  test('ends with its period when that is wanted, and goes on when it is not any more', async () => {
    await using world = await startSubscribed();
    const { stripe, subscription, portal, read, clock } = world;
    const end = at('2026-02-28T12:00:00Z');
    clock.advance(5_000);
    await operatePortal(portal, 'cancel-at-period-end');
    const [planned] = await takeEvents(world);
    const told = subscriptionOf(planned);
    assert.deepEqual(
      [planned?.type, told.status, told.cancel_at_period_end, told.cancel_at, told.canceled_at],
      ['customer.subscription.updated', 'active', true, end, at('2026-01-31T12:00:05Z')],
    );
    assert.equal((previousOf(planned) as Stripe.Subscription).cancel_at_period_end, false);

    await operatePortal(portal, 'keep');
    const [undone] = await takeEvents(world);
    assert.deepEqual(
      [undone?.type, subscriptionOf(undone).cancel_at_period_end, subscriptionOf(undone).cancel_at],
      ['customer.subscription.updated', false, null],
    );

    await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    await takeEvents(world);
    clock.set('2026-02-28T11:59:59Z');
    assert.equal((await read()).status, 'active');
    clock.set('2026-02-28T15:00:00Z');
    assert.equal((await read()).status, 'canceled');
    const [deleted, ...others] = await takeEvents(world);
    assert.deepEqual([deleted?.type, deleted?.created, others], ['customer.subscription.deleted', end, []]);
    assert.deepEqual([subscriptionOf(deleted).status, subscriptionOf(deleted).ended_at], ['canceled', end]);
    assert.deepEqual(deleted?.request, { id: null, idempotency_key: null }, 'nobody asked: time did it');
  });

  test('is canceled at once, for good', async () => {
    await using world = await startSubscribed();
    const { stripe, subscription, customer } = world;
    const canceled = await stripe.subscriptions.cancel(subscription.id);
    const now = at('2026-01-31T12:00:00Z');
    assert.deepEqual([canceled.status, canceled.ended_at, canceled.canceled_at], ['canceled', now, now]);
    assert.deepEqual(typesOf(await takeEvents(world)), ['customer.subscription.deleted']);
    await assert.rejects(stripe.subscriptions.cancel(subscription.id), { statusCode: 404, code: 'resource_missing' });
    const change = stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
    await assert.rejects(change, { statusCode: 400 });
    assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id })).data, []);
    for (const status of ['all', 'canceled', 'ended'] as const) {
      assert.equal((await stripe.subscriptions.list({ customer: customer.id, status })).data.length, 1, status);
    }
    await world.sandbox.advance(100 * 86_400);
    assert.deepEqual(await takeEvents(world), [], 'it is not renewed');
  });

  test('is paused and resumed, each told twice in one second with one snapshot', async () => {
    await using world = await startSubscribed();
    const { portal, read, clock, stripe, subscription } = world;
    await operatePortal(portal, 'pause');
    const paused = await takeEvents(world);
    assert.deepEqual(typesOf(paused), ['customer.subscription.paused', 'customer.subscription.updated']);
    assert.deepEqual(paused[0]?.data.object, paused[1]?.data.object);
    assert.equal(paused[0]?.created, paused[1]?.created);
    assert.equal(subscriptionOf(paused[0]).status, 'paused');
    assert.equal((previousOf(paused[1]) as Stripe.Subscription).status, 'active');
    assert.equal((await read()).status_details?.paused.subscription.type, 'pause_requested');
    await assert.rejects(stripe.subscriptions.pause(subscription.id), { statusCode: 400 });

    clock.advance(60_000);
    await operatePortal(portal, 'resume');
    const resumed = await takeEvents(world);
    assert.deepEqual(typesOf(resumed), ['customer.subscription.resumed', 'customer.subscription.updated']);
    assert.deepEqual(resumed[0]?.data.object, resumed[1]?.data.object);
    assert.equal(subscriptionOf(resumed[0]).status, 'active');
    assert.equal((await read()).items.data[0]?.current_period_end, at('2026-02-28T12:00:00Z'), 'the period goes on');
    assert.equal((await read()).status_details, undefined);
    await assert.rejects(stripe.subscriptions.resume(subscription.id), { statusCode: 400 });
  });

  test('while paused is not renewed; resumed by the API a new, paid period begins', async () => {
    await using world = await startSubscribed();
    const { stripe, subscription, customer, clock, read } = world;
    assert.equal((await stripe.subscriptions.pause(subscription.id)).status, 'paused');
    clock.set('2026-06-10T08:00:00Z');
    assert.equal((await read()).items.data[0]?.current_period_end, at('2026-02-28T12:00:00Z'));
    assert.equal((await stripe.invoices.list({ customer: customer.id })).data.length, 1);
    await takeEvents(world);
    const resumed = await stripe.subscriptions.resume(subscription.id);
    const [item] = resumed.items.data;
    assert.deepEqual(
      [resumed.status, item?.current_period_start, item?.current_period_end],
      ['active', at('2026-06-10T08:00:00Z'), at('2026-07-10T08:00:00Z')],
    );
    assert.deepEqual(typesOf(await takeEvents(world)), [
      'customer.subscription.resumed',
      'customer.subscription.updated',
      'invoice.paid',
    ]);
  });

  test('is renewed month after month from its first day', async () => {
    await using world = await startSubscribed();
    const { portal, read, customer, stripe } = world;
    const ends = ['2026-03-31', '2026-04-30', '2026-05-31'];
    for (const [index, end] of ends.entries()) {
      const page = await operatePortal(portal, 'renew');
      assert.equal(page.status, 200);
      const [item] = (await read()).items.data;
      assert.equal(item?.current_period_end, at(`${end}T12:00:00Z`));
      const events = await takeEvents(world);
      assert.deepEqual(typesOf(events), ['customer.subscription.updated', 'invoice.paid']);
      assert.equal(events[0]?.created, item?.current_period_start, 'it happened when the period began');
      const { data } = await stripe.invoices.list({ customer: customer.id });
      assert.equal(data.length, index + 2);
      assert.deepEqual([data[0]?.billing_reason, data[0]?.status], ['subscription_cycle', 'paid']);
    }
    assert.equal((await read()).status, 'active');
  });

  test('is past due when a payment fails, and active again when the invoice is paid', async () => {
    await using world = await startSubscribed();
    const { portal, read, customer, stripe } = world;
    await operatePortal(portal, 'fail-payment');
    const failed = await takeEvents(world);
    assert.deepEqual(typesOf(failed), ['customer.subscription.updated', 'invoice.payment_failed']);
    assert.equal(subscriptionOf(failed[0]).status, 'past_due');
    assert.equal(invoiceOf(failed[1]).status, 'open');
    assert.equal((await read()).status, 'past_due');
    const { data: open } = await stripe.invoices.list({ customer: customer.id, status: 'open' });
    assert.equal(open.length, 1);

    await operatePortal(portal, 'fail-next-payment');
    const again = await operatePortal(portal, 'pay-invoice');
    assert.equal(again.status, 402);
    assert.match(again.text, /role="alert">The payment failed again/);
    assert.deepEqual(typesOf(await takeEvents(world)), ['invoice.payment_failed']);

    await operatePortal(portal, 'pay-invoice');
    assert.equal((await read()).status, 'active');
    const paid = await takeEvents(world);
    assert.deepEqual(typesOf(paid), ['invoice.paid', 'customer.subscription.updated']);
    assert.equal((previousOf(paid[1]) as Stripe.Subscription).status, 'past_due');
    assert.deepEqual((await stripe.invoices.list({ customer: customer.id, status: 'open' })).data, []);
    await assert.rejects(operatePortal(portal, 'pay-invoice'), /no button pay-invoice/);
  });

  test('fails at its next renewal, once, when that is wanted', async () => {
    await using world = await startSubscribed();
    const { portal, read } = world;
    const page = await operatePortal(portal, 'fail-next-payment');
    assert.match(page.text, /The next payment will fail\./);
    assert.equal((await read()).status, 'active');
    await operatePortal(portal, 'renew');
    assert.equal((await read()).status, 'past_due');
    await operatePortal(portal, 'renew');
    assert.equal((await read()).status, 'active');
  });

  test('remembers metadata, and tells which names changed', async () => {
    await using world = await startSubscribed();
    const { stripe, subscription } = world;
    const metadata = { accountId: '', color: 'blue', __proto__x: '1' };
    const changed = await stripe.subscriptions.update(subscription.id, { metadata });
    assert.deepEqual(changed.metadata, { color: 'blue', __proto__x: '1' });
    const [event] = await takeEvents(world);
    assert.deepEqual(previousOf(event), { metadata: { accountId: 'acc-1', color: null, __proto__x: null } });
  });

  test('is made by the API for a customer who has a card', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { stripe, sandbox, receiver } = world;
    const items = [{ price: 'price_demo_business' }];
    const poor = await stripe.customers.create({});
    await assert.rejects(stripe.subscriptions.create({ customer: poor.id, items }), { code: 'resource_missing' });
    const broke = stripe.customers.create({ payment_method: 'pm_card_chargeDeclined' });
    await assert.rejects(broke, { statusCode: 402, code: 'card_declined' });
    const customer = await stripe.customers.create({ payment_method: 'pm_card_visa' });
    const made = await stripe.subscriptions.create({ customer: customer.id, items, metadata: { accountId: 'x' } });
    assert.deepEqual([made.status, made.metadata], ['active', { accountId: 'x' }]);
    await sandbox.settled();
    assert.deepEqual(receiver.types(), ['customer.subscription.created', 'invoice.paid']);
  });
});

test('time moves for everybody, in its order, and forward only', async () => {
  const clock = testClock('2026-01-10T00:00:00Z');
  await using world = await startPaymentWorld({ clock });
  const early = await buyPlan(world);
  clock.set('2026-01-20T00:00:00Z');
  const late = await buyPlan(world);
  await takeEvents(world);
  await world.sandbox.advance(75 * 86_400);
  const events = (await takeEvents(world)).filter(({ type }) => type === 'customer.subscription.updated');
  assert.deepEqual(
    events.map((event) => [subscriptionOf(event).id, event.created]),
    [
      [early.subscription.id, at('2026-02-10T00:00:00Z')],
      [late.subscription.id, at('2026-02-20T00:00:00Z')],
      [early.subscription.id, at('2026-03-10T00:00:00Z')],
      [late.subscription.id, at('2026-03-20T00:00:00Z')],
    ],
  );
  const { lastResponse } = await world.stripe.customers.create({});
  assert.equal(lastResponse.headers.date, 'Sun, 05 Apr 2026 00:00:00 GMT');
  const headers = { authorization: `Bearer ${world.sandbox.settings().secretKey}` };
  const url = `${world.sandbox.url}/demo/payments/sandbox/time`;
  const back = await fetch(url, { method: 'POST', headers, body: new URLSearchParams({ advance: '-5' }) });
  assert.equal(back.status, 400);
});
