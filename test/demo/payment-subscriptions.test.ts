import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type Stripe from 'stripe';
import { testClock } from '../harness/clock.ts';
import { buyPlan, operatePortal, type PaymentWorld, see, startPaymentWorld } from '../harness/payments.ts';

const at = (time: string) => Date.parse(time) / 1000;

/** The events that arrived since the last call. */
async function takeEvents({ sandbox, receiver }: PaymentWorld): Promise<Stripe.Event[]> {
  await sandbox.settled();
  return receiver.events.splice(0);
}

const typesOf = (events: readonly Stripe.Event[]) => events.map(({ type }) => type);
const subscriptionOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Subscription;
const invoiceOf = (event: Stripe.Event | undefined) => event?.data.object as unknown as Stripe.Invoice;

async function startSubscribed(time = '2026-01-31T12:00:00Z') {
  const clock = testClock(time);
  const world = await startPaymentWorld({ clock });
  const bought = await buyPlan(world.sandbox);
  world.receiver.events.splice(0);
  const read = () => world.stripe.subscriptions.retrieve(bought.subscription.id);
  return { ...world, ...bought, clock, read };
}

describe('a subscription', () => {
  test('sends one event when its plan changes, and none if nothing changed', async () => {
    await using world = await startSubscribed();
    const { portal, read } = world;
    const page = await operatePortal(portal, 'change-plan', { price: 'price_demo_business' });
    assert.match(page.text, /Plan changed\./);
    assert.equal((await read()).items.data[0]?.price.id, 'price_demo_business');
    const [event, ...others] = await takeEvents(world);
    assert.deepEqual([event?.type, others], ['customer.subscription.updated', []]);
    assert.equal(subscriptionOf(event).items.data[0]?.price.id, 'price_demo_business');

    const fields = { action: 'change-plan', subscription: world.subscription.id, price: 'price_demo_business' };
    assert.equal((await see(portal, fields)).status, 303, 'pressed again in another tab');
    assert.deepEqual(await takeEvents(world), []);
  });

  test('can be canceled at the end of its period, and that can be taken back', async () => {
    await using world = await startSubscribed();
    const { portal, read, clock } = world;
    const end = at('2026-02-28T12:00:00Z');
    clock.advance(5_000);
    await operatePortal(portal, 'cancel-at-period-end');
    const [planned] = await takeEvents(world);
    const sent = subscriptionOf(planned);
    assert.deepEqual(
      [planned?.type, sent.status, sent.cancel_at_period_end, sent.cancel_at, sent.canceled_at],
      ['customer.subscription.updated', 'active', true, end, at('2026-01-31T12:00:05Z')],
    );

    await operatePortal(portal, 'keep');
    const [undone] = await takeEvents(world);
    assert.deepEqual(
      [undone?.type, subscriptionOf(undone).cancel_at_period_end, subscriptionOf(undone).cancel_at],
      ['customer.subscription.updated', false, null],
    );

    await operatePortal(portal, 'cancel-at-period-end');
    await takeEvents(world);
    clock.set('2026-02-28T11:59:59Z');
    assert.equal((await read()).status, 'active');
    clock.set('2026-02-28T15:00:00Z');
    assert.equal((await read()).status, 'canceled');
    const [deleted, ...others] = await takeEvents(world);
    assert.deepEqual([deleted?.type, deleted?.created, others], ['customer.subscription.deleted', end, []]);
    assert.deepEqual([subscriptionOf(deleted).status, subscriptionOf(deleted).ended_at], ['canceled', end]);
  });

  test('can be canceled immediately, for good', async () => {
    await using world = await startSubscribed();
    const { stripe, portal, subscription, customer, clock, read } = world;
    await operatePortal(portal, 'cancel-now');
    const now = at('2026-01-31T12:00:00Z');
    const { status, ended_at, canceled_at } = await read();
    assert.deepEqual([status, ended_at, canceled_at], ['canceled', now, now]);
    assert.deepEqual(typesOf(await takeEvents(world)), ['customer.subscription.deleted']);
    for (const action of ['change-plan', 'cancel-at-period-end', 'keep', 'pause', 'resume', 'renew']) {
      const fields = { action, subscription: subscription.id, price: 'price_demo_business' };
      assert.equal((await see(portal, fields)).status, 400, action);
    }
    assert.deepEqual((await stripe.subscriptions.list({ customer: customer.id })).data, []);
    assert.equal((await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data.length, 1);
    clock.advance(100 * 86_400_000);
    assert.equal((await read()).status, 'canceled');
    assert.deepEqual(await takeEvents(world), [], 'it is not renewed');
  });

  test('sends two events with the same snapshot in the same second when it is paused or resumed', async () => {
    await using world = await startSubscribed();
    const { portal, read, clock, subscription } = world;
    await operatePortal(portal, 'pause');
    const paused = await takeEvents(world);
    assert.deepEqual(typesOf(paused), ['customer.subscription.paused', 'customer.subscription.updated']);
    assert.deepEqual(paused[0]?.data.object, paused[1]?.data.object);
    assert.equal(paused[0]?.created, paused[1]?.created);
    assert.equal(subscriptionOf(paused[0]).status, 'paused');
    assert.equal((await see(portal, { action: 'pause', subscription: subscription.id })).status, 400);

    clock.advance(60_000);
    await operatePortal(portal, 'resume');
    const resumed = await takeEvents(world);
    assert.deepEqual(typesOf(resumed), ['customer.subscription.resumed', 'customer.subscription.updated']);
    assert.deepEqual(resumed[0]?.data.object, resumed[1]?.data.object);
    assert.equal(subscriptionOf(resumed[0]).status, 'active');
    assert.equal((await read()).items.data[0]?.current_period_end, at('2026-02-28T12:00:00Z'), 'the period continues');
    assert.equal((await see(portal, { action: 'resume', subscription: subscription.id })).status, 400);
  });

  test('is not renewed while it is paused; resumed later, a new period starts and is paid', async () => {
    await using world = await startSubscribed();
    const { portal, clock, read, sandbox, stripe, customer } = world;
    await operatePortal(portal, 'pause');
    clock.set('2026-06-10T08:00:00Z');
    assert.equal((await read()).items.data[0]?.current_period_end, at('2026-02-28T12:00:00Z'));
    assert.equal(Object.keys(sandbox.readState().invoices).length, 1);
    await takeEvents(world);
    const later = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      return_url: 'http://shop.test/',
    });
    await operatePortal(later.url, 'resume');
    const resumed = await read();
    const [item] = resumed.items.data;
    assert.deepEqual(
      [resumed.status, item?.current_period_start, item?.current_period_end],
      ['active', at('2026-05-31T12:00:00Z'), at('2026-06-30T12:00:00Z')],
    );
    assert.deepEqual(typesOf(await takeEvents(world)), [
      'customer.subscription.resumed',
      'customer.subscription.updated',
      'invoice.paid',
    ]);
  });

  test('is renewed monthly, counted from its first day', async () => {
    await using world = await startSubscribed();
    const { portal, read, sandbox } = world;
    const ends = ['2026-03-31', '2026-04-30', '2026-05-31'];
    for (const [index, end] of ends.entries()) {
      const page = await operatePortal(portal, 'renew');
      assert.equal(page.status, 200);
      const [item] = (await read()).items.data;
      assert.equal(item?.current_period_end, at(`${end}T12:00:00Z`));
      const events = await takeEvents(world);
      assert.deepEqual(typesOf(events), ['customer.subscription.updated', 'invoice.paid']);
      assert.equal(events[0]?.created, item?.current_period_start, 'it happened when the period began');
      const invoices = Object.values(sandbox.readState().invoices);
      assert.equal(invoices.length, index + 2);
      assert.equal(invoices.at(-1)?.status, 'paid');
    }
    assert.equal((await read()).status, 'active');
  });

  test('is past due when a payment fails, and active again when the invoice is paid', async () => {
    await using world = await startSubscribed();
    const { portal, read, sandbox } = world;
    const openInvoices = () => Object.values(sandbox.readState().invoices).filter(({ status }) => status === 'open');
    await operatePortal(portal, 'fail-payment');
    const failed = await takeEvents(world);
    assert.deepEqual(typesOf(failed), ['customer.subscription.updated', 'invoice.payment_failed']);
    assert.equal(subscriptionOf(failed[0]).status, 'past_due');
    assert.equal(invoiceOf(failed[1]).status, 'open');
    assert.equal((await read()).status, 'past_due');
    assert.equal(openInvoices().length, 1);

    await operatePortal(portal, 'pay-invoice');
    assert.equal((await read()).status, 'active');
    const paid = await takeEvents(world);
    assert.deepEqual(typesOf(paid), ['invoice.paid', 'customer.subscription.updated']);
    assert.deepEqual(openInvoices(), []);
    await assert.rejects(operatePortal(portal, 'pay-invoice'), /no button pay-invoice/);
  });
});

test('renewals of several customers happen in order of time', async () => {
  const clock = testClock('2026-01-10T00:00:00Z');
  await using world = await startPaymentWorld({ clock });
  const early = await buyPlan(world.sandbox);
  clock.set('2026-01-20T00:00:00Z');
  const late = await buyPlan(world.sandbox);
  await takeEvents(world);
  clock.advance(75 * 86_400_000);
  const { lastResponse } = await world.stripe.subscriptions.list();
  assert.equal(lastResponse.headers.date, 'Sun, 05 Apr 2026 00:00:00 GMT');
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
});
