import { randomUUID } from 'node:crypto';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import { fail } from '../../core/errors.ts';
import { findPlan, type PaidPlanId } from '../../core/plans.ts';
import { isSecure, readCookie, writeCookie } from '../../core/requests/cookies.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import { readLastPage } from '../../core/requests/same-origin.ts';
import type { BillingState } from '../../core/usage.ts';
import type { Routes } from '../../transport/app.ts';
import type { HttpReply } from '../../transport/reply.ts';
import type { HttpRequest } from '../../transport/request.ts';
import { registerAccountForms } from '../forms.ts';
import { continueToPaymentPage } from '../pages/messages.ts';
import { planPage } from '../pages/plan.ts';
import { billingNotice, type CheckoutState } from '../parts/account/billing-section.ts';
import { planAddress } from '../parts/account/plan-cards.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor } from '../visitor.ts';
import {
  type AccountPages,
  type DashboardServices,
  type Messages,
  PAYMENT_ORIGINS,
  PAYMENT_POLICY,
} from './account-pages.ts';

/** Choosing, buying and changing a plan. Payments happen on the payment provider's pages. */

/** Remembers the plan being bought, because the address that the payment page returns to does not name it. */
const WANTED_COOKIE = 'wanted_plan';
/** Remembers the subscription before a visit to the customer portal, to confirm afterwards what changed there. */
const BEFORE_COOKIE = 'billing_before';
const SECONDS = 3_600;

export function registerPlans(app: Routes, services: DashboardServices, pages: AccountPages): void {
  const { publicUrl, billing, site } = services;
  const { showProblem, signedInOnly } = pages;

  app.get(
    '/dashboard/plans/:plan',
    signedInOnly<PlanRequest>(
      async (request, reply, signedIn) => {
        const id = readPaidPlan(request.params.plan);
        if (id === undefined) throw fail('not_found');
        const { plan: current, accountId } = signedIn.account;
        const { status } = await billing.readBilling(accountId);
        const isSubscribed = current.id !== 'free' && status !== 'none';
        const view = { visitor: describeVisitor(signedIn), current, wanted: findPlan(id), isSubscribed };
        return sendPage(reply, planPage({ ...view, isOn: billing.isOn() }), PAYMENT_POLICY);
      },
      ({ params }) => returnToPlan(params.plan),
    ),
  );

  const register = (scope: Routes) => {
    scope.post(
      '/dashboard/checkout',
      signedInOnly<{ body: Fields | undefined }>(async (request, reply, signedIn) => {
        const plan = readPaidPlan(request.body?.plan);
        if (plan === undefined) throw fail('invalid_request', { message: 'Unknown plan: choose "pro" or "business".' });
        remember(reply, WANTED_COOKIE, plan);
        return leave(reply, signedIn, () => billing.openCheckout(buyerOf(signedIn), plan, visitContext()));
      }),
    );
    scope.post(
      '/dashboard/billing',
      signedInOnly(async (_request, reply, signedIn) => {
        const before = await billing.readBilling(signedIn.account.accountId);
        remember(reply, BEFORE_COOKIE, summarize(signedIn, before));
        return leave(reply, signedIn, () => billing.openPortal(buyerOf(signedIn), visitContext()));
      }),
    );
  };
  // Sign-in returns to the page of the plan that was chosen.
  registerAccountForms(app, services, register, {
    returnTo: (request) => readLastPage(request, site) ?? '/dashboard',
  });

  async function leave(reply: HttpReply, signedIn: SignedIn, open: () => Promise<string>): Promise<HttpReply> {
    try {
      const url = await open();
      const isAllowed = [new URL(publicUrl()).origin, ...PAYMENT_ORIGINS].includes(new URL(url).origin);
      return isAllowed
        ? reply.redirect(url, 303)
        : sendPage(reply, continueToPaymentPage(url, describeVisitor(signedIn)));
    } catch (error) {
      return showProblem(error, reply, signedIn);
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

interface PlanRequest {
  readonly params: { readonly plan: string };
}

function readPaidPlan(given: string | undefined): PaidPlanId | undefined {
  return given === 'pro' || given === 'business' ? given : undefined;
}

/** Sign-in returns to the plan that was chosen. */
function returnToPlan(given: string | undefined): string {
  const id = readPaidPlan(given);
  return id === undefined ? '/dashboard' : planAddress({ id });
}

function buyerOf({ account, user }: SignedIn): Buyer {
  return { accountId: account.accountId, email: user.email };
}

/** What to say on the dashboard to a user who comes back from the payment provider's pages. */
export async function readReturn(
  request: HttpRequest & { query: { checkout?: string } },
  reply: HttpReply,
  signedIn: SignedIn,
  { billing, publicUrl }: Pick<DashboardServices, 'billing' | 'publicUrl'>,
): Promise<Messages> {
  const secure = isSecure(request, publicUrl());
  const read = (cookie: string) => readCookie(request.headers.cookie, cookie, secure);
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
function readCheckout(
  given: string | undefined,
  { account }: SignedIn,
  wanted: string | undefined,
): CheckoutState | undefined {
  if (given === 'cancelled') return given;
  if (given !== 'done') return undefined;
  const isConfirmed = wanted === undefined ? account.plan.id !== 'free' : account.plan.id === wanted;
  return isConfirmed ? 'done' : 'waiting';
}

function summarize({ account }: SignedIn, { status, cancelAtPeriodEnd }: BillingState): string {
  return [account.plan.id, status, cancelAtPeriodEnd].join('.');
}
