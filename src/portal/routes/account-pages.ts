import type { SignedIn } from '../../accounts/accounts.ts';
import { type ErrorCode, Failure, fail, statusOf } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Fields } from '../../base/requests/form-fields.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type DashboardView, dashboardPage } from '../pages/dashboard.ts';
import type { Problem } from '../parts/blocks.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, findSignedIn, policyWith, registerAccountForms, sendPage, sendToSignIn } from '../visitor.ts';

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

/** A request of a signed-in user. */
export type AccountRequest = HttpRequest & {
  readonly params: Readonly<Record<'id' | 'plan' | 'generation' | 'delivery' | '*', string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields of a form. */
  readonly body: Fields | undefined;
};
type Handler = (request: AccountRequest, reply: HttpReply, signedIn: SignedIn) => Promise<HttpReply>;

/** By the paths that they are sent to. */
export type AccountForms = Readonly<Record<string, Handler>>;

export type AccountPages = ReturnType<typeof createAccountPages>;

/** What all pages of an account share: only its users see them, and problems are shown on the dashboard. */
export function createAccountPages(app: Routes, services: PageServices) {
  const { publicUrl, site, clock, apiKeys, reconcileLinks, meter, billing, exports, webhooks } = services;

  async function show(reply: HttpReply, signedIn: SignedIn, messages: Messages): Promise<HttpReply> {
    const { account } = signedIn;
    const { accountId, plan } = account;
    const [usage, history, months, state, keys, links, endpoints, offered] = await Promise.all([
      meter.readUsage(account),
      meter.listUseByKey(account),
      meter.listMonthlyUse(accountId),
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

  const signedInOnly =
    (handler: Handler, returnTo: (request: AccountRequest) => string = () => '/dashboard') =>
    async (request: HttpRequest, reply: HttpReply): Promise<HttpReply> => {
      const signedIn = await findSignedIn(request, services);
      if (signedIn === undefined) return sendToSignIn(reply, returnTo(request as AccountRequest));
      services.countRequest(signedIn.account.accountId);
      return handler(request as AccountRequest, reply, signedIn);
    };

  return {
    show,
    /** Shows errors that the user can fix on the dashboard. Rethrows any other error. */
    async showProblem(error: unknown, reply: HttpReply, signedIn: SignedIn): Promise<HttpReply> {
      return show(reply, signedIn, { problem: takeProblem(error, reply, SHOWN_ON_DASHBOARD).message });
    },
    /** A page for signed-in users. Visitors are redirected to sign-in, and from there to `returnTo`. */
    get(path: string, handler: Handler, returnTo?: (request: AccountRequest) => string): void {
      app.get(path, signedInOnly(handler, returnTo));
    },
    /** Forms of signed-in users. */
    post(forms: AccountForms, returnTo?: (request: HttpRequest) => string, bodyLimit?: number): void {
      const register = (scope: Routes) => {
        for (const [path, handler] of Object.entries(forms)) scope.post(path, signedInOnly(handler));
      };
      registerAccountForms(app, services, register, returnTo, bodyLimit);
    },
  };
}

/** An error that the user can fix, for the page that shows it. Rethrows any other error. */
export function takeProblem(error: unknown, reply: HttpReply, codes: readonly string[]): Problem {
  if (!(error instanceof Failure) || !codes.includes(error.code)) throw error;
  reply.code(statusOf(error.code));
  return error;
}

export function requireId(text: string, unknown: ErrorCode): string {
  if (!isUuid(text)) throw fail(unknown);
  return text.toLowerCase();
}
