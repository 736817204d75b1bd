import type { SignedIn } from '../accounts/accounts.ts';
import { showName } from '../base/display-text.ts';
import { type ErrorCode, Failure, fail, statusOf } from '../base/errors.ts';
import { type Html, html } from '../base/html.ts';
import { isUuid } from '../base/ids.ts';
import { isSecure, parseCookie, writeCookie } from '../base/requests/cookies.ts';
import type { Fields } from '../base/requests/form-fields.ts';
import { startDeadline } from '../base/system/deadline.ts';
import type { Routes } from '../http/app.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Step } from '../http/route.ts';
import { notice, type Problem, problemNotice } from './parts/blocks.ts';
import { type Frame, layout } from './parts/layout.ts';
import type { PageServices } from './services.ts';
import { describeVisitor, findSignedIn, formRules, sendPage, sendToSignIn } from './visitor.ts';

/** A request of a signed-in user. */
export type AccountRequest = HttpRequest & {
  readonly params: Readonly<Record<'id' | 'plan' | 'generation' | 'delivery' | 'operation' | '*', string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The fields of a form. */
  readonly body: Fields | undefined;
};
export type Handler = (request: AccountRequest, reply: HttpReply, signedIn: SignedIn) => Promise<HttpReply>;

/** The handlers of forms, by the paths to which the forms are sent. */
export type AccountForms = Readonly<Record<string, Handler>>;

/** Shows the page of a form again, with the problem. */
export type ShowProblem = (
  request: AccountRequest,
  reply: HttpReply,
  signedIn: SignedIn,
  problem: Problem,
) => Promise<HttpReply>;

export type AccountPages = ReturnType<typeof createAccountPages>;

/** What all pages of an account share: only its users see these pages, and a refused form is shown again. */
export function createAccountPages(app: Routes, services: PageServices) {
  const signedInOnly =
    (handler: Handler, returnTo: (request: AccountRequest) => string = () => '/dashboard') =>
    async (request: HttpRequest, reply: HttpReply): Promise<HttpReply> => {
      const signedIn = await findSignedIn(request, services);
      if (signedIn === undefined) return sendToSignIn(reply, returnTo(request as AccountRequest));
      services.countRequest(signedIn.account.accountId);
      return handler(request as AccountRequest, reply, signedIn);
    };

  return {
    /** A page for signed-in users. Visitors are redirected to sign-in, and from there to `returnTo`. */
    get(path: string, handler: Handler, returnTo?: (request: AccountRequest) => string): void {
      app.get(path, signedInOnly(handler, returnTo));
    },
    /** Forms of signed-in users. Visitors are sent to sign-in before the body is read, and return to `returnTo`. */
    post(
      forms: AccountForms,
      returnTo: (request: HttpRequest) => string = () => '/dashboard',
      bodyLimit?: number,
    ): void {
      const signIn: Step = async (request, reply) => {
        const signedIn = await findSignedIn(request, services, startDeadline());
        return signedIn === undefined ? sendToSignIn(reply, returnTo(request)) : undefined;
      };
      const rules = formRules(services.site);
      const scope = app.scope({ ...rules, before: [...rules.before, signIn], ...(bodyLimit && { bodyLimit }) });
      for (const [path, handler] of Object.entries(forms)) scope.post(path, signedInOnly(handler));
    },
    /** Adds a page that asks for confirmation before something is removed. Its form is sent to `action`. */
    askRemoval(path: string, returnTo: string, find: (request: AccountRequest, accountId: string) => Promise<Removal>) {
      const ask: Handler = async (request, reply, signedIn) => {
        const { verb, noun, name, effect, action, back } = await find(request, signedIn.account.accountId);
        const form = html`<form method="post" action="${action}" class="inline">
            <button class="danger" name="action" value="delete">${verb} ${noun}</button>
            <a href="${back}">Keep ${noun}</a>
          </form>`;
        const heading = html`${verb} ${noun} “${showName(name)}”?`;
        const lead = html`${effect} This cannot be undone.`;
        return sendAccountPage(reply, signedIn, { title: `${verb} ${noun}`, heading, lead }, form);
      };
      app.get(
        path,
        signedInOnly(ask, () => returnTo),
      );
    },
    /** Sends a page with the result of the last action or the problem of a form. */
    send(reply: HttpReply, signedIn: SignedIn, { done, problem, ...head }: Head & Shown, content: Html, frame?: Frame) {
      const shown = html`${problemNotice(problem)}${done ?? this.takeConfirmation(reply)}${content}`;
      return sendAccountPage(reply, signedIn, head, shown, frame);
    },
    /** Confirms an action on the page that the browser is redirected to. `subject` is the object of the action, such as the name of a key. */
    confirm(reply: HttpReply, kind: keyof typeof CONFIRMATIONS, subject: string, address: string): HttpReply {
      const value = `${kind}.${Buffer.from(subject).toString('base64url')}`;
      return setFlash(reply, value, FLASH_SECONDS).redirect(address, 303);
    },
    /** Returns the confirmation of the last action, if there is one, and deletes its cookie. */
    takeConfirmation(reply: HttpReply): Html | undefined {
      const { headers } = reply.request;
      const secure = isSecure(reply.request, services.publicUrl());
      const [kind = '', subject = ''] = parseCookie(headers.cookie, FLASH_COOKIE, secure)?.split('.') ?? [];
      if (!Object.hasOwn(CONFIRMATIONS, kind)) return undefined;
      setFlash(reply, '', 0);
      return CONFIRMATIONS[kind as keyof typeof CONFIRMATIONS](Buffer.from(subject, 'base64url').toString());
    },
  };

  function setFlash(reply: HttpReply, value: string, maxAgeSeconds: number): HttpReply {
    const secure = isSecure(reply.request, services.publicUrl());
    return reply.header('Set-Cookie', writeCookie(FLASH_COOKIE, value, { path: '/dashboard', maxAgeSeconds, secure }));
  }
}

/** The top of an account page. */
interface Head {
  readonly title: string;
  /** The heading, if it differs from the title. */
  readonly heading?: Html;
  /** The pages above this page, below the dashboard. */
  readonly above?: readonly (readonly [address: string, name: Html | string])[];
  readonly lead?: Html | string;
}

/** What a page shows after a form was sent. */
export interface Shown {
  readonly done?: Html | undefined;
  readonly problem?: Problem | undefined;
}

/** Sends a page of the account of a signed-in user. */
export function sendAccountPage(reply: HttpReply, signedIn: SignedIn, head: Head, content: Html, frame?: Frame) {
  const { title, heading = title, above, lead } = head;
  const crumbs = above?.map(([address, name]) => html` › <a href="${address}">${name}</a>`);
  const page = html`${crumbs && html`<p class="crumbs"><a href="/dashboard">Dashboard</a>${crumbs}</p>`}<h1>${heading}</h1>
    ${lead && html`<p class="lead">${lead}</p>`}${content}`;
  return sendPage(reply, layout(title, page, { section: '/dashboard', visitor: describeVisitor(signedIn), ...frame }));
}

interface Removal {
  readonly verb: 'Revoke' | 'Delete';
  readonly noun: string;
  readonly name: string;
  readonly effect: Html | string;
  readonly action: string;
  readonly back: string;
}

/** Carries a confirmation, which thus works without JavaScript, appears once, and is not part of an address that others could link to. */
const FLASH_COOKIE = 'flash';
const FLASH_SECONDS = 60;

const revoked = (noun: string, code: string) => (name: string) =>
  notice(
    'good',
    html`${noun} “${showName(name)}” revoked`,
    html`Requests with it fail with <a href="/docs/errors/${code}"><code>${code}</code></a>.`,
  );

const CONFIRMATIONS = {
  'key-revoked': revoked('Key', 'invalid_api_key'),
  'link-revoked': revoked('Link', 'invalid_reconcile_link'),
  'monitor-watched': (name: string) =>
    notice(
      'good',
      html`${showName(name)}: watched from now on`,
      'What changes is listed here, and sent to your webhooks.',
    ),
  'monitor-changed': (what: string) => notice('good', 'Saved', what),
  'webhook-sent': (url: string) =>
    notice('good', 'Events are sent again', html`To <bdi>${url}</bdi>, listed below as they are sent.`),
  'webhook-changed': (url: string) => notice('good', 'Endpoint changed', html`<bdi>${url}</bdi>`),
  'webhook-deleted': (url: string) => notice('good', 'Endpoint deleted', html`<bdi>${url}</bdi>`),
} as const satisfies Record<string, (subject: string) => Html>;

/** The statuses of errors that the user of a form can fix or retry. */
const SHOWN: readonly number[] = [400, 409, 429, 503];

/** Shows problems that the user can fix on the page of the form. */
export function orShow(show: ShowProblem, work: Handler): Handler {
  return async (request, reply, signedIn) => {
    try {
      return await work(request, reply, signedIn);
    } catch (error) {
      if (!(error instanceof Failure) || !SHOWN.includes(statusOf(error.code))) throw error;
      return show(request, reply.code(statusOf(error.code)), signedIn, error);
    }
  };
}

export function requireId(text: string, unknown: ErrorCode): string {
  if (!isUuid(text)) throw fail(unknown);
  return text.toLowerCase();
}
