import { randomUUID } from 'node:crypto';
import type { SignedIn } from '../../accounts/accounts.ts';
import { BILLING_NOT_CONFIGURED, fail } from '../../base/errors.ts';
import { type Html, html } from '../../base/html.ts';
import { findPlan, isPaid, type PaidPlanId, type Plan } from '../../base/plans.ts';
import { isSecure, parseCookie, writeCookie } from '../../base/requests/cookies.ts';
import { findLastPage } from '../../base/requests/same-origin.ts';
import type { BillingState } from '../../base/usage.ts';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import { billingNotice, type CheckoutState, nameChange, planAddress, planCards } from '../parts/account/plans.ts';
import { notice } from '../parts/blocks.ts';
import { messagePage, termsHint, type Visitor } from '../parts/layout.ts';
import {
  type AccountForms,
  type AccountPages,
  type AccountRequest,
  type Messages,
  PAYMENT_ORIGINS,
  PAYMENT_POLICY,
} from '../routes/account-pages.ts';
import type { PageServices } from '../services.ts';
import { formatCount } from '../text/formatting.ts';
import { describeVisitor, findVisitor, sendPage, signInAddress } from '../visitor.ts';
import { continueToPaymentPage } from './messages.ts';

/** Choosing, buying and changing a plan. Payments happen on the payment provider's pages. */

/** Remembers the plan being bought, because the address that the payment page returns to does not name it. */
const WANTED_COOKIE = 'wanted_plan';
/** Remembers the subscription before a visit to the customer portal, to confirm afterwards what changed there. */
const BEFORE_COOKIE = 'billing_before';
const SECONDS = 3_600;

export function registerPlans(app: Routes, services: PageServices, pages: AccountPages): void {
  const { publicUrl, billing, site } = services;

  app.get('/plans', async (request, reply) => sendPage(reply, plansPage(await findVisitor(request, services))));
  app.get('/pricing', (_request, reply) => reply.redirect('/plans', 301));

  pages.get(
    '/dashboard/plans/:plan',
    async ({ params }, reply, signedIn) => {
      const id = readPaidPlan(params.plan);
      if (id === undefined) throw fail('not_found');
      const { plan: current, accountId } = signedIn.account;
      const { status } = await billing.readBilling(accountId);
      const isSubscribed = current.id !== 'free' && status !== 'none';
      const view = { visitor: describeVisitor(signedIn), current, wanted: findPlan(id), isSubscribed };
      return sendPage(reply, planPage({ ...view, isOn: billing.isOn() }), PAYMENT_POLICY);
    },
    // Sign-in returns to the plan that was chosen.
    ({ params }) => {
      const id = readPaidPlan(params.plan);
      return id === undefined ? '/dashboard' : planAddress({ id });
    },
  );

  const forms: AccountForms = {
    async '/dashboard/checkout'({ body }, reply, signedIn) {
      const plan = readPaidPlan(body?.plan);
      if (plan === undefined) throw fail('invalid_request', { message: 'Unknown plan: choose "pro" or "business".' });
      remember(reply, WANTED_COOKIE, plan);
      return leave(reply, signedIn, () => billing.openCheckout(buyerOf(signedIn), plan, visitContext()));
    },
    async '/dashboard/billing'(_request, reply, signedIn) {
      const before = await billing.readBilling(signedIn.account.accountId);
      remember(reply, BEFORE_COOKIE, summarize(signedIn, before));
      return leave(reply, signedIn, () => billing.openPortal(buyerOf(signedIn), visitContext()));
    },
  };
  // Sign-in returns to the page of the plan that was chosen.
  pages.post(forms, (request) => findLastPage(request, site) ?? '/dashboard');

  async function leave(reply: HttpReply, signedIn: SignedIn, open: () => Promise<string>): Promise<HttpReply> {
    try {
      const url = await open();
      const isAllowed = [new URL(publicUrl()).origin, ...PAYMENT_ORIGINS].includes(new URL(url).origin);
      return isAllowed
        ? reply.redirect(url, 303)
        : sendPage(reply, continueToPaymentPage(url, describeVisitor(signedIn)));
    } catch (error) {
      return pages.showProblem(error, reply, signedIn);
    }
  }

  function remember(reply: HttpReply, cookie: string, value: string): void {
    const secure = isSecure(reply.request, publicUrl());
    reply.header('Set-Cookie', writeCookie(cookie, value, { path: '/dashboard', maxAgeSeconds: SECONDS, secure }));
  }

  function visitContext(): VisitContext {
    return { publicUrl: publicUrl(), requestId: randomUUID() };
  }
}

function readPaidPlan(given: string | undefined): PaidPlanId | undefined {
  return given === 'pro' || given === 'business' ? given : undefined;
}

function buyerOf({ account, user }: SignedIn): Buyer {
  return { accountId: account.accountId, email: user.email };
}

/** What to say on the dashboard to a user who comes back from the payment provider's pages. */
export async function readReturn(
  request: AccountRequest,
  reply: HttpReply,
  signedIn: SignedIn,
  { billing, publicUrl }: Pick<PageServices, 'billing' | 'publicUrl'>,
): Promise<Messages> {
  const secure = isSecure(request, publicUrl());
  const read = (cookie: string) => parseCookie(request.headers.cookie, cookie, secure);
  const checkout = readCheckout(request.query.checkout, signedIn, read(WANTED_COOKIE));
  const before = read(BEFORE_COOKIE);
  if (checkout !== undefined || before === undefined) return { checkout };
  const state = await billing.readBilling(signedIn.account.accountId);
  // Until the provider reports a change, the next visit may be the one that shows it.
  if (before === '' || before === summarize(signedIn, state)) return {};
  reply.header('Set-Cookie', writeCookie(BEFORE_COOKIE, '', { path: '/dashboard', maxAgeSeconds: 0, secure }));
  return { done: billingNotice(signedIn.account.plan, state) };
}

/** Returning from the payment page proves nothing: the plan changes only when the provider confirms the payment. */
function readCheckout(given: unknown, { account }: SignedIn, wanted: string | undefined): CheckoutState | undefined {
  if (given === 'cancelled') return given;
  if (given !== 'done') return undefined;
  const isConfirmed = wanted === undefined ? account.plan.id !== 'free' : account.plan.id === wanted;
  return isConfirmed ? 'done' : 'waiting';
}

function summarize({ account }: SignedIn, { status, cancelAtPeriodEnd }: BillingState): string {
  return [account.plan.id, status, cancelAtPeriodEnd].join('.');
}

function plansPage(visitor: Visitor): Html {
  const lead =
    'One request is one search, record, matched name or delivered event. Suggestions while you type are free.';
  const frame = { section: '/plans', path: '/plans', visitor, description: 'Prices and limits of all plans.' };
  return messagePage(
    'Plans',
    lead,
    html`${offeredPlans(visitor, 'h2')}<p><a href="/docs/limits">How requests are counted</a></p>`,
    frame,
  );
}

/** The plans with a link to begin. */
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

interface PlanPageView {
  readonly visitor: Visitor;
  readonly current: Plan;
  readonly wanted: Plan;
  readonly isSubscribed: boolean;
  readonly isOn: boolean;
}

function planPage(view: PlanPageView): Html {
  const { visitor, current, wanted, isOn } = view;
  const frame = { section: '/dashboard', visitor };
  if (current.id === wanted.id) {
    const link = html`<p><a class="button" href="/dashboard">Go to the dashboard</a></p>`;
    return messagePage(`You are on ${wanted.name}`, 'There is nothing to change.', link, frame);
  }
  return messagePage(
    `${nameChange(wanted, current)} to ${wanted.name}`,
    `€${wanted.monthlyPriceEur} per month. Cancel any time; access lasts until the month ends.`,
    html`${comparison(current, wanted)}
    ${isOn ? purchaseForm(view) : notice('info', 'Plans cannot be changed here', BILLING_NOT_CONFIGURED)}`,
    frame,
  );
}

function comparison(current: Plan, wanted: Plan): Html {
  const rows: [string, (plan: Plan) => string][] = [
    ['Price per month', ({ monthlyPriceEur }) => `€${monthlyPriceEur}`],
    ['Requests per month', ({ monthlyRequests }) => formatCount(monthlyRequests)],
    ['Requests per minute per key', ({ requestsPerMinute }) => formatCount(requestsPerMinute)],
    ['API keys', ({ maxApiKeys }) => formatCount(maxApiKeys)],
    ['Monitors', ({ maxMonitors }) => formatCount(maxMonitors)],
    ['Watched companies', ({ maxWatchedCompanies }) => formatCount(maxWatchedCompanies)],
    ['Exports and whole results as files', (plan) => (isPaid(plan) ? 'Yes' : 'No')],
  ];
  return html`<table class="numbers compare">
    <thead><tr><td></td><th scope="col" class="number">${current.name} (now)</th><th scope="col" class="number">${wanted.name}</th></tr></thead>
    <tbody>${rows.map(
      ([label, read]) =>
        html`<tr><th scope="row">${label}</th><td class="number">${read(current)}</td><td><strong>${read(wanted)}</strong></td></tr>`,
    )}</tbody>
  </table>`;
}

function purchaseForm({ current, wanted, isSubscribed }: PlanPageView): Html {
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
