import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { NamedSecrets } from '../../accounts/named-secrets.ts';
import type { Billing } from '../../billing/billing.ts';
import type { Clock } from '../../core/clock.ts';
import { Failure, statusOf } from '../../core/errors.ts';
import type { CountRequest } from '../../core/requests/visitor-limit.ts';
import type { Site } from '../../core/site.ts';
import type { Exports } from '../../exports/offered.ts';
import type { Meter } from '../../metering/meter.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { type DashboardView, dashboardPage } from '../pages/dashboard.ts';
import { policyWith, sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

/** What all pages of an account share: only its users see them, and problems are shown on the dashboard. */
export interface DashboardServices extends VisitorServices {
  readonly site: Site;
  readonly clock: Clock;
  readonly countRequest: CountRequest;
  readonly apiKeys: Pick<NamedSecrets, 'create' | 'list' | 'revoke' | 'rotate'>;
  readonly reconcileLinks: Pick<NamedSecrets, 'create' | 'list' | 'revoke' | 'rotate'>;
  readonly meter: Pick<Meter, 'readUsage' | 'readHistory' | 'readMonthly'>;
  readonly exports: Pick<Exports, 'list'>;
  readonly webhooks: Pick<Webhooks, 'list'>;
  readonly billing: Pick<Billing, 'isOn' | 'openCheckout' | 'openPortal' | 'readBilling'>;
}

export type Messages = Pick<DashboardView, 'checkout' | 'created' | 'done' | 'problem'>;

/** The provider's hosted pages. Browsers follow a form's redirect only to origins that `form-action` lists. */
export const PAYMENT_ORIGINS = ['https://checkout.stripe.com', 'https://billing.stripe.com'];
export const PAYMENT_POLICY = policyWith(`form-action 'self' ${PAYMENT_ORIGINS.join(' ')}`);

/** Errors that the user can fix or retry. */
const SHOWN_ON_DASHBOARD = [
  'invalid_request',
  'api_key_limit_reached',
  'reconcile_link_limit_reached',
  'account_rate_limit_exceeded',
  'billing_unavailable',
];

export type Handler<R> = (
  request: FastifyRequest & R,
  reply: FastifyReply,
  signedIn: SignedIn,
) => Promise<FastifyReply>;

export type AccountPages = ReturnType<typeof createAccountPages>;

export function createAccountPages(services: DashboardServices) {
  const { publicUrl, site, clock, apiKeys, reconcileLinks, meter, billing, exports, webhooks } = services;

  async function show(reply: FastifyReply, signedIn: SignedIn, messages: Messages): Promise<FastifyReply> {
    const { account } = signedIn;
    const { accountId, plan } = account;
    const [usage, history, months, state, keys, links, endpoints, offered] = await Promise.all([
      meter.readUsage(account),
      meter.readHistory(account),
      meter.readMonthly(accountId),
      billing.readBilling(accountId),
      apiKeys.list(accountId),
      reconcileLinks.list(accountId),
      webhooks.list(accountId),
      // The rest of the dashboard does not depend on their folder. The API reports its problems.
      exports.list().catch(() => undefined),
    ]);
    const visitor = describeVisitor(signedIn);
    const secrets = { keys, links, history, now: clock.now() };
    const view = { visitor, publicUrl: publicUrl(), accountId, plan, usage, months, ...secrets, state };
    const made = { endpoints, exports: offered, isOperator: site.isClosed };
    return sendPage(reply, dashboardPage({ ...view, ...made, isOn: billing.isOn(), ...messages }), PAYMENT_POLICY);
  }

  return {
    show,
    /** Shows errors that the user can fix on the dashboard. Rethrows any other error. */
    async showProblem(error: unknown, reply: FastifyReply, signedIn: SignedIn): Promise<FastifyReply> {
      if (!(error instanceof Failure) || !SHOWN_ON_DASHBOARD.includes(error.code)) throw error;
      return show(reply.code(statusOf(error.code)), signedIn, { problem: error.message });
    },
    /** Runs the handler for signed-in users only. All others are redirected to sign-in, and from there to `returnTo`. */
    signedInOnly:
      <R>(handler: Handler<R>, returnTo: (request: FastifyRequest & R) => string = () => '/dashboard') =>
      async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const signedIn = await findSignedIn(request, services);
        if (signedIn === undefined) return sendToSignIn(reply, returnTo(request as FastifyRequest & R));
        services.countRequest(signedIn.account.accountId);
        return handler(request as FastifyRequest & R, reply, signedIn);
      },
  };
}
