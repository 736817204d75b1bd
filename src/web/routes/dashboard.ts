import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { ApiKeys } from '../../accounts/api-keys.ts';
import type { Billing } from '../../billing/billing.ts';
import type { Buyer, VisitContext } from '../../billing/checkout.ts';
import type { Clock } from '../../core/clock.ts';
import { isSecure, readCookie, writeCookie } from '../../core/cookies.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Site } from '../../core/site.ts';
import type { Meter } from '../../metering/meter.ts';
import { type Fields, registerForms } from '../forms.ts';
import { continueToPaymentPage } from '../pages/continue-to-payment.ts';
import { type DashboardView, dashboardPage } from '../pages/dashboard.ts';
import { revokePage } from '../pages/revoke-key.ts';
import type { CheckoutState } from '../parts/billing-section.ts';
import { policyWith, sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

/** The signed-in user's account: usage, keys and plan. Every change is a form, so it works without JavaScript. */
export interface DashboardServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly site: Site;
  readonly clock: Clock;
  readonly apiKeys: Pick<ApiKeys, 'create' | 'list' | 'revoke'>;
  readonly meter: Pick<Meter, 'readUsage' | 'readUsageByKey'>;
  readonly billing: Pick<Billing, 'isOn' | 'openCheckout' | 'openPortal' | 'readBilling'>;
}

/** The provider's hosted pages. Browsers follow a form's redirect only to origins that `form-action` lists. */
const PAYMENT_ORIGINS = ['https://checkout.stripe.com', 'https://billing.stripe.com'];
const POLICY = policyWith(`form-action 'self' ${PAYMENT_ORIGINS.join(' ')}`);

/** Remembers the plan being bought, because the address that the payment page returns to does not name it. */
const WANTED_COOKIE = 'wanted_plan';
const WANTED_SECONDS = 3_600;

export function registerDashboard(app: FastifyInstance, services: DashboardServices): void {
  const { publicUrl, clock, apiKeys, meter, billing } = services;

  type Messages = Pick<DashboardView, 'checkout' | 'created' | 'problem'>;

  async function show(reply: FastifyReply, signedIn: SignedIn, messages: Messages): Promise<FastifyReply> {
    const { account } = signedIn;
    const { accountId, plan } = account;
    const [usage, byKey, state, keys] = await Promise.all([
      meter.readUsage(account),
      meter.readUsageByKey(account),
      billing.readBilling(accountId),
      apiKeys.list(accountId),
    ]);
    const visitor = describeVisitor(signedIn);
    const view = { visitor, publicUrl: publicUrl(), accountId, plan, usage, byKey, keys, now: clock.now(), state };
    return sendPage(reply, dashboardPage({ ...view, isOn: billing.isOn(), ...messages }), POLICY);
  }

  /** Shows errors that the user can fix on the dashboard. Rethrows any other error. */
  async function showProblem(error: unknown, reply: FastifyReply, signedIn: SignedIn): Promise<FastifyReply> {
    if (!(error instanceof Failure) || !SHOWN_ON_DASHBOARD.includes(error.code)) throw error;
    return show(reply.code(statusOf(error.code)), signedIn, { problem: error.message });
  }

  /** Handlers run for signed-in users only; all others are redirected to sign-in. */
  type Handler<R> = (request: FastifyRequest & R, reply: FastifyReply, signedIn: SignedIn) => Promise<FastifyReply>;
  const signedInOnly =
    <R>(handler: Handler<R>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const signedIn = await findSignedIn(request, services);
      if (signedIn === undefined) return sendToSignIn(reply, '/dashboard');
      return handler(request as FastifyRequest & R, reply, signedIn);
    };

  app.get(
    '/dashboard',
    signedInOnly<{ query: { checkout?: string } }>(async (request, reply, signedIn) =>
      show(reply, signedIn, { checkout: readCheckout(request, signedIn, isSecure(request, publicUrl())) }),
    ),
  );
  // The address of the form that creates a key. Without this route, reloading it as a page would be a 404.
  app.get('/dashboard/keys', (_request, reply) => reply.redirect('/dashboard#keys', 303));
  app.get(
    '/dashboard/keys/:id/revoke',
    signedInOnly<KeyRequest>(async (request, reply, signedIn) => {
      const key = (await apiKeys.list(signedIn.account.accountId)).find(({ id }) => id === request.params.id);
      if (key === undefined) throw fail('api_key_not_found');
      return sendPage(reply, revokePage(key, describeVisitor(signedIn)));
    }),
  );

  registerForms(app, services.site, (scope) => {
    scope.post(
      '/dashboard/keys',
      signedInOnly<{ body: Fields | undefined }>(async (request, reply, signedIn) => {
        try {
          const created = await apiKeys.create(signedIn.account.accountId, request.body?.name ?? '');
          return await show(reply, signedIn, { created });
        } catch (error) {
          return showProblem(error, reply, signedIn);
        }
      }),
    );
    scope.post(
      '/dashboard/keys/:id/revoke',
      signedInOnly<KeyRequest>(async (request, reply, signedIn) => {
        if (!isUuid(request.params.id)) throw fail('api_key_not_found');
        await apiKeys.revoke(signedIn.account.accountId, request.params.id);
        return reply.redirect('/dashboard#keys', 303);
      }),
    );
    scope.post(
      '/dashboard/checkout',
      signedInOnly<{ body: Fields | undefined }>(async (request, reply, signedIn) => {
        const plan = request.body?.plan;
        if (plan !== 'pro' && plan !== 'business')
          throw fail('invalid_request', { message: 'Unknown plan: choose "pro" or "business".' });
        const open = () => billing.openCheckout(buyerOf(signedIn), plan, contextOf(request));
        const secure = isSecure(reply.request, publicUrl());
        const cookie = writeCookie(WANTED_COOKIE, plan, { path: '/dashboard', maxAgeSeconds: WANTED_SECONDS, secure });
        return leave(reply.header('Set-Cookie', cookie), signedIn, open);
      }),
    );
    scope.post(
      '/dashboard/billing',
      signedInOnly(async (request, reply, signedIn) =>
        leave(reply, signedIn, () => billing.openPortal(buyerOf(signedIn), contextOf(request))),
      ),
    );
  });

  async function leave(reply: FastifyReply, signedIn: SignedIn, open: () => Promise<string>): Promise<FastifyReply> {
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

  function contextOf(request: FastifyRequest): VisitContext {
    return { publicUrl: publicUrl(), requestId: request.id };
  }
}

interface KeyRequest {
  readonly params: { readonly id: string };
}

/** Errors that the user can fix or retry. */
const SHOWN_ON_DASHBOARD = ['invalid_request', 'api_key_limit_reached', 'billing_unavailable'];

function buyerOf({ account, user }: SignedIn): Buyer {
  return { accountId: account.accountId, email: user.email };
}

/** Returning from the payment page proves nothing: the plan changes only when the provider confirms the payment. */
function readCheckout(
  request: FastifyRequest & { query: { checkout?: string } },
  { account }: SignedIn,
  secure: boolean,
): CheckoutState | undefined {
  const { checkout } = request.query;
  if (checkout === 'cancelled') return checkout;
  if (checkout !== 'done') return undefined;
  const wanted = readCookie(request.headers.cookie, WANTED_COOKIE, secure);
  const isConfirmed = wanted === undefined ? account.plan.id !== 'free' : account.plan.id === wanted;
  return isConfirmed ? 'done' : 'waiting';
}
