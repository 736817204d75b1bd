import { randomUUID } from 'node:crypto';
import type { SignedIn } from '../../accounts/accounts.ts';
import { BILLING_NOT_CONFIGURED, fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { findPlan, type PaidPlanId, type Plan } from '../../base/plans.ts';
import { isSecure, parseCookie, writeCookie } from '../../base/requests/cookies.ts';
import { findLastPage } from '../../base/requests/same-origin.ts';
import type { BillingState } from '../../base/usage.ts';
import type { Buyer } from '../../billing/provider.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { type AccountPages, type AccountRequest, orShow, type ShowProblem } from '../account.ts';
import { notice, section } from '../parts/blocks.ts';
import { messagePage, termsHint, type Visitor } from '../parts/layout.ts';
import { planCards } from '../parts/plans.ts';
import type { PageServices } from '../services.ts';
import { formatDay } from '../text/formatting.ts';
import { describeVisitor, findVisitor, policyWith, sendPage, signInAddress } from '../visitor.ts';

/** Choosing, buying and changing a plan. Payments happen on the payment provider's pages. */

/** Remembers the plan being bought, because the address that the payment page returns to does not name the plan. */
const WANTED_COOKIE = 'wanted_plan';
/** Remembers the subscription before a visit to the customer portal, to confirm afterwards what changed there. */
const BEFORE_COOKIE = 'billing_before';
const SECONDS = 3_600;

/** The provider's hosted pages. Browsers follow a form's redirect only to origins that `form-action` lists. */
const PAYMENT_ORIGINS = ['https://checkout.stripe.com', 'https://billing.stripe.com'];
export const PAYMENT_POLICY = policyWith(`form-action 'self' ${PAYMENT_ORIGINS.join(' ')}`);

/** Returns the function that chooses the message for a user who comes back to the dashboard from the payment provider's pages. */
export function registerPlans(app: Routes, services: PageServices, pages: AccountPages, showProblem: ShowProblem) {
  const { publicUrl, billing, site } = services;

  app.get('/plans', async (request, reply) => sendPage(reply, plansPage(await findVisitor(request, services))));
  app.get('/pricing', (_request, reply) => reply.redirect('/plans', 301));

  pages.get(
    '/dashboard/plans/:plan',
    async ({ params }, reply, signedIn) => {
      const id = parsePaidPlan(params.plan);
      if (id === undefined) throw fail('not_found');
      const { plan: current, accountId } = signedIn.account;
      const { status } = await billing.readBilling(accountId);
      const isSubscribed = current.id !== 'free' && status !== 'none';
      const form = billing.isOn() ? purchaseForm(current, findPlan(id), isSubscribed) : undefined;
      return sendPage(reply, planPage(describeVisitor(signedIn), current, findPlan(id), form), PAYMENT_POLICY);
    },
    // After sign-in, the user returns to the chosen plan.
    ({ params }) => {
      const id = parsePaidPlan(params.plan);
      return id === undefined ? '/dashboard' : planAddress({ id });
    },
  );

  const forms = {
    '/dashboard/checkout': orShow(showProblem, async ({ body }, reply, signedIn) => {
      const plan = parsePaidPlan(body?.plan);
      if (plan === undefined) throw fail('invalid_request', { message: 'Unknown plan: choose "pro" or "business".' });
      remember(reply, WANTED_COOKIE, plan);
      return leave(reply, signedIn, await billing.openCheckout(buyerOf(signedIn), plan, visitContext()));
    }),
    '/dashboard/billing': orShow(showProblem, async (_request, reply, signedIn) => {
      const before = await billing.readBilling(signedIn.account.accountId);
      remember(reply, BEFORE_COOKIE, summarize(signedIn, before));
      return leave(reply, signedIn, await billing.openPortal(buyerOf(signedIn), visitContext()));
    }),
  };
  // After sign-in, the user returns to the page of the chosen plan.
  pages.post(forms, (request) => findLastPage(request, site) ?? '/dashboard');

  /** Redirects to the payment page, or links to it if the `form-action` policy does not allow a redirect to the provider. */
  function leave(reply: HttpReply, signedIn: SignedIn, url: string): HttpReply {
    if ([new URL(publicUrl()).origin, ...PAYMENT_ORIGINS].includes(new URL(url).origin))
      return reply.redirect(url, 303);
    const page = messagePage(
      'One more step',
      'You pay on our payment provider’s site. Nothing is charged until you confirm there.',
      html`<p><a class="button" href="${url}">Continue to payment</a></p>`,
      { section: '/dashboard', visitor: describeVisitor(signedIn) },
    );
    return sendPage(reply, page);
  }

  function remember(reply: HttpReply, cookie: string, value: string, maxAgeSeconds = SECONDS): void {
    const secure = isSecure(reply.request, publicUrl());
    reply.header('Set-Cookie', writeCookie(cookie, value, { path: '/dashboard', maxAgeSeconds, secure }));
  }

  const visitContext = () => ({ publicUrl: publicUrl(), requestId: randomUUID() });

  return async (request: AccountRequest, reply: HttpReply, signedIn: SignedIn) => {
    const read = (cookie: string) => parseCookie(request.headers.cookie, cookie, isSecure(request, publicUrl()));
    const checkout = readCheckout(request.query.checkout, signedIn.account.plan.id, read(WANTED_COOKIE));
    const before = read(BEFORE_COOKIE);
    if (checkout !== undefined || before === undefined) return { checkout };
    const state = await billing.readBilling(signedIn.account.accountId);
    // Keeps the cookie until the provider reports a change, because a later visit may show the change.
    if (before === '' || before === summarize(signedIn, state)) return {};
    remember(reply, BEFORE_COOKIE, '', 0);
    return { done: notice('good', 'Your subscription has changed', stateText(signedIn.account.plan, state)) };
  };
}

/** The address of the page that asks before a plan is bought. Visitors sign in first and return to this page. */
function planAddress({ id }: Pick<Plan, 'id'>): string {
  return `/dashboard/plans/${id}`;
}

function parsePaidPlan(given: string | undefined): PaidPlanId | undefined {
  return given === 'pro' || given === 'business' ? given : undefined;
}

function buyerOf({ account, user }: SignedIn): Buyer {
  return { accountId: account.accountId, email: user.email };
}

/** Returning from the payment page proves nothing: the plan changes only when the provider confirms the payment. */
function readCheckout(given: unknown, current: Plan['id'], wanted?: string): CheckoutState | undefined {
  if (given !== 'done') return given === 'cancelled' ? given : undefined;
  return current === wanted || (wanted === undefined && current !== 'free') ? 'done' : 'waiting';
}

function summarize({ account }: SignedIn, { status, cancelAtPeriodEnd }: BillingState): string {
  return [account.plan.id, status, cancelAtPeriodEnd].join('.');
}

function plansPage(visitor: Visitor): Html {
  const lead =
    'One request is one search, record, matched name or delivered event. Suggestions while you type are free.';
  const frame = { section: '/plans', path: '/plans', visitor, description: 'Prices and limits of all plans.' };
  const content = html`${offeredPlans(visitor, 'h2')}<p><a href="/docs/limits">How requests are counted</a></p>`;
  return messagePage('Plans', lead, content, frame);
}

/** The plans, each with a link to start. */
export function offeredPlans(visitor: Visitor, level?: 'h2'): Html {
  const link = ({ id, name }: Plan) =>
    id === 'free'
      ? html`<p><a class="button" href="${startAddress(visitor)}">Start free</a></p>`
      : html`<p><a class="button quiet" href="${planAddress({ id })}">Choose ${name}</a></p>`;
  return html`${planCards(link, undefined, level)}<p class="hint">Prices in euros. Cancel any time; access lasts until the month ends.</p>`;
}

export function startAddress(visitor: Visitor): string {
  return visitor === 'anonymous' ? signInAddress('/dashboard') : '/dashboard';
}

/** Without a form, plans cannot be changed here. */
function planPage(visitor: Visitor, current: Plan, wanted: Plan, form: Html | undefined): Html {
  const frame = { section: '/dashboard', visitor };
  if (current.id === wanted.id) {
    const link = html`<p><a class="button" href="/dashboard">Go to the dashboard</a></p>`;
    return messagePage(`You are on ${wanted.name}`, 'There is nothing to change.', link, frame);
  }
  return messagePage(
    `${nameChange(wanted, current)} to ${wanted.name}`,
    `€${wanted.monthlyPriceEur} per month. Cancel any time; access lasts until the month ends.`,
    html`${planCards(() => false, current, 'h2', [current, wanted])}
    ${form ?? notice('info', 'Plans cannot be changed here', BILLING_NOT_CONFIGURED)}`,
    frame,
  );
}

function purchaseForm(current: Plan, wanted: Plan, isSubscribed: boolean): Html {
  const next = isSubscribed
    ? 'Our payment provider shows what the change costs today. Nothing changes until you confirm there.'
    : 'You pay on our payment provider’s site. Nothing is charged until you confirm there.';
  return html`<p>${next}</p>
    ${termsHint()}
    <form method="post" action="/dashboard/checkout" class="inline">
      <input type="hidden" name="plan" value="${wanted.id}">
      <button>Continue to payment</button>
      <a href="/dashboard">Keep ${current.name}</a>
    </form>`;
}

function nameChange(wanted: Plan, current: Plan): 'Upgrade' | 'Change' {
  return wanted.monthlyPriceEur > current.monthlyPriceEur ? 'Upgrade' : 'Change';
}

/** The account's plan and how to change it. Payments happen on the payment provider's pages, never here. */
export function billingSection(plan: Plan, state: BillingState, isOn: boolean): Html {
  const portal = html`<form method="post" action="/dashboard/billing"><button class="quiet">Manage billing</button>
    <p class="hint">Invoices, payment method and cancellation, on our payment provider’s site.</p></form>`;
  const content = html`${stateText(plan, state)}
    ${state.portalAvailable && state.status !== 'none' && portal}
    ${planCards((offered) => isOn && upgrade(offered, plan), plan)}
    ${!isOn && html`<p class="empty">${BILLING_NOT_CONFIGURED}</p>`}`;
  return section('billing', 'Plan and billing', content, 'card wide');
}

function upgrade(offered: Plan, current: Plan): Html | false {
  if (offered.id === 'free' || offered.id === current.id) return false;
  return html`<form method="post" action="/dashboard/checkout">
    <input type="hidden" name="plan" value="${offered.id}"><button>${nameChange(offered, current)} to ${offered.name}</button>
  </form>`;
}

function stateText(plan: Plan, { status, currentPeriodEnd, cancelAtPeriodEnd }: BillingState): Html {
  const until = currentPeriodEnd === null ? 'the end of the period' : formatDay(currentPeriodEnd);
  const on = html`You are on <strong>${plan.name}</strong>`;
  const name = html`<strong>${status === 'canceled' ? 'cancelled' : status.replaceAll('_', ' ')}</strong>`;
  if (status === 'none')
    return html`<p>${on}${plan.id === 'free' ? '. Usage resets monthly.' : ', without a subscription.'}</p>`;
  if (cancelAtPeriodEnd && status !== 'canceled') {
    return html`<p>${on}. Your subscription is <strong>cancelled</strong> and paid until
      ${until}. After that you move to Free: your keys keep working, with the limits of that plan.</p>`;
  }
  if (status === 'active' || status === 'trialing') {
    return html`<p>${on}, €${plan.monthlyPriceEur} per month. Your plan renews and your usage
      resets ${currentPeriodEnd === null ? 'at' : 'on'} ${until}.</p>`;
  }
  if (status === 'past_due') {
    return html`<p>${on}, but your last payment <strong>failed</strong>. Check your payment
      method: our payment provider will retry. If it keeps failing, you move to Free.</p>`;
  }
  return html`<p>Your subscription is ${name}. You are on ${plan.name}${status === 'paused' && ' until you resume it'}.</p>`;
}

export type CheckoutState = 'waiting' | 'done' | 'cancelled';

export function checkoutNotice(state: CheckoutState, plan: Plan): Html {
  if (state === 'done')
    return notice('good', `You are on ${plan.name}`, 'Payment confirmed. Your new limits are active.');
  if (state === 'cancelled')
    return notice('info', 'Checkout cancelled', 'You were not charged, and your plan has not changed.');
  const text =
    'Your plan changes when our payment provider confirms the payment, usually within seconds. This page refreshes automatically.';
  return notice('info', 'Payment received, waiting for confirmation', text);
}
