import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPlan } from '../../src/core/plans.ts';
import { testClock } from '../harness/clock.ts';
import { buyPlan, operatePortal, readForms, see, startPaymentWorld } from '../harness/payments.ts';

describe('the portal', () => {
  test('shows subscription, invoices and a link back', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { portal } = await buyPlan(world.sandbox);
    const { status, text } = await see(portal);
    assert.equal(status, 200);
    const expected = [
      'Payment sandbox: no real money',
      '<h2>Pro</h2>',
      `€${findPlan('pro').monthlyPriceEur}.00 per month`,
      '2026-03-15 – 2026-04-15',
      '-0001',
      'href="http://shop.test/account"',
      'Sandbox controls',
    ];
    for (const each of expected) assert.ok(text.includes(each), each);
    assert.ok(!/<script|style=|onclick/.test(text), 'nothing that the content security policy forbids');
  });

  test('has buttons for exactly the actions that are possible now', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { portal } = await buyPlan(world.sandbox);
    const actions = async () => readForms((await see(portal)).text).map(({ fields }) => fields.action);
    const active = await actions();
    for (const action of ['change-plan', 'cancel-at-period-end', 'cancel-now', 'pause', 'renew']) {
      assert.ok(active.includes(action), action);
    }
    assert.ok(!active.includes('keep') && !active.includes('resume') && !active.includes('pay-invoice'));
    await operatePortal(portal, 'pause');
    const paused = await actions();
    assert.ok(paused.includes('resume') && !paused.includes('pause') && !paused.includes('renew'));
    await operatePortal(portal, 'cancel-now');
    const canceled = await actions();
    for (const action of ['change-plan', 'cancel-now', 'pause', 'resume', 'renew'])
      assert.ok(!canceled.includes(action));
  });

  test('asks for confirmation before it cancels immediately', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const { portal, subscription } = await buyPlan(world.sandbox);
    const status = async () => (await world.stripe.subscriptions.retrieve(subscription.id)).status;
    const asked = await see(portal, { action: 'cancel-now', subscription: subscription.id });
    assert.equal(asked.status, 303);
    const question = await see(new URL(asked.location ?? '', portal).href);
    assert.match(question.text, /Cancel Pro now\?/);
    assert.equal(await status(), 'active');
    const done = await operatePortal(portal, 'cancel-now');
    assert.match(done.text, /Your subscription has ended\./);
    assert.equal(await status(), 'canceled');
    const late = await see(portal, { action: 'cancel-now', subscription: subscription.id, confirmed: 'true' });
    assert.equal(late.status, 404, 'from a tab that was left open');
    assert.match(late.text, /role="alert"/);
  });

  test('cannot reach other customers, and rejects unknown actions', async () => {
    await using world = await startPaymentWorld({ clock: testClock() });
    const anna = await buyPlan(world.sandbox);
    const other = await buyPlan(world.sandbox);
    const before = world.receiver.events.length;
    for (const action of ['pause', 'cancel-now', 'renew', 'change-plan', 'fail-payment', 'cancel-at-period-end']) {
      const fields = { action, subscription: other.subscription.id, price: 'price_demo_business', confirmed: 'true' };
      assert.equal((await see(anna.portal, fields)).status, 400, action);
    }
    for (const action of ['', 'toString', '__proto__', 'x'])
      assert.equal((await see(anna.portal, { action })).status, 400);
    const price = { action: 'change-plan', subscription: anna.subscription.id, price: 'price_x' };
    assert.equal((await see(anna.portal, price)).status, 400);
    await world.sandbox.settled();
    assert.equal(world.receiver.events.length, before);
    assert.equal((await world.stripe.subscriptions.retrieve(other.subscription.id)).status, 'active');
  });

  test('is open for one hour of real time', async () => {
    const clock = testClock();
    await using world = await startPaymentWorld({ clock });
    const { portal, subscription } = await buyPlan(world.sandbox);
    await operatePortal(portal, 'renew');
    clock.advance(3_599_000);
    assert.equal((await see(portal)).status, 200);
    clock.advance(1_000);
    for (const page of [await see(portal), await see(portal, { action: 'pause', subscription: subscription.id })]) {
      assert.equal(page.status, 410);
      assert.match(page.text, /href="http:\/\/shop\.test\/account"/);
    }
    assert.equal((await world.stripe.subscriptions.retrieve(subscription.id)).status, 'active');
    assert.equal((await see(`${world.sandbox.url}/demo/payments/portal/bps_x`)).status, 404);
    assert.equal((await see(`${world.sandbox.url}/demo/payments/portal/__proto__`)).status, 404);
  });

  test('escapes the e-mail address of the customer', async () => {
    await using world = await startPaymentWorld();
    const { id } = await world.stripe.customers.create({ email: '<b>x</b>@example.com' });
    const { url } = await world.stripe.billingPortal.sessions.create({ customer: id, return_url: 'http://shop.test/' });
    const { text } = await see(url);
    assert.ok(text.includes('&lt;b&gt;x') && !text.includes('<b>x'));
    const wrong = world.stripe.billingPortal.sessions.create({ customer: id, return_url: 'javascript:alert(1)' });
    await assert.rejects(wrong, { code: 'url_invalid', param: 'return_url' });
  });
});
