import type { Exchange, Needs, PricedOperation } from '../accounts/charging/operation.ts';
import { type ErrorCode, fail } from '../base/errors.ts';
import type { Site } from '../base/site.ts';
import { startDeadline } from '../base/system/deadline.ts';
import type { AccountTerms } from '../base/usage.ts';
import { requireSite } from '../http/host.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import type { Answer, Operation, RouteOptions } from '../http/route.ts';
import { answers, meteredAnswers } from './serving/answers.ts';
import { type ChargedExchange, type Charging, guardBody, takeAnswer } from './serving/charge.ts';
import { readBearer } from './serving/credentials.ts';
import { type RequireSession, sessionCodes, signedInOf } from './serving/session.ts';

/** The error codes of routes that take an API key or a session, for the contract. Those that change something add `csrf_rejected`. */
const accountCodes = [
  'api_key_required',
  'invalid_api_key',
  'rate_limit_exceeded',
  ...sessionCodes.filter((code) => code !== 'session_required'),
] as const satisfies ErrorCode[];

/** For routes of an account that programs and people use: with an API key, or with a session. */
export interface AccountAccess {
  /** The options of all these routes. */
  readonly options: RouteOptions;
  /** A request of this account on its way through the executor. */
  startExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): ChargedExchange<Input>;
  /** Does free work for the account. With an API key, it counts in the rate window of the key, before validation. */
  perform<T>(request: HttpRequest, reply: HttpReply, work: Work<T>): Promise<T>;
  /** The same for a change: the key needs the right to manage. Sessions have it. */
  change<T>(request: HttpRequest, reply: HttpReply, work: Work<T>): Promise<T>;
}

type Work<T> = (account: AccountTerms) => Promise<T>;

export function createAccountAccess(charging: Charging, site: Site, requireSession: RequireSession): AccountAccess {
  const { executor, now } = charging;
  const guard = guardBody(charging);

  async function identify(request: HttpRequest, reply: HttpReply): Promise<void> {
    const { authorization, cookie } = request.headers;
    if (hasKey(request)) {
      for (const step of guard.before) await step(request, reply);
      return;
    }
    if (authorization === undefined && cookie === undefined) throw fail('api_key_required', { message: NO_CREDENTIAL });
    requireSite(request.raw, site);
    await requireSession(request);
  }

  function startExchange<Input>(request: HttpRequest, reply: HttpReply, input: Input): ChargedExchange<Input> {
    if (request.exchange !== null) return { ...(request.exchange as Exchange<unknown>), input, reply };
    const { account } = signedInOf(request);
    const deadline = startDeadline(request.startedAt);
    return { input, reply, credential: { kind: 'session', account }, deadline, response: reply.raw, caller: null };
  }

  async function run<T>(needs: Needs, request: HttpRequest, reply: HttpReply, work: Work<T>): Promise<T> {
    if (request.exchange === null) {
      request.parameters?.validate(request);
      return work(signedInOf(request).account);
    }
    const operation: PricedOperation<undefined, undefined, T> = {
      needs,
      price: 'free',
      read: () => void request.parameters?.validate(request),
      answer: (_, { caller }) => work(caller),
    };
    return takeAnswer(reply, await executor.perform(operation, startExchange(request, reply, undefined)), now());
  }

  return {
    // The rate window comes before validation.
    options: { before: [identify], refuse: guard.refuse, validatesLater: true },
    startExchange,
    perform: (request, reply, work) => run({ credential: 'key', plan: 'any' }, request, reply, work),
    change: (request, reply, work) => run({ credential: 'key', plan: 'any', right: 'manage' }, request, reply, work),
  };
}

/** A route of an account. `own` are its successful answers. */
export function describeAccountRoute(
  operation: Pick<Operation, 'operationId' | 'tag' | 'summary' | 'description'>,
  own: Readonly<Record<number, Answer>>,
  codes: readonly ErrorCode[],
  schema: Omit<NonNullable<RouteOptions['schema']>, 'response'> = {},
): RouteOptions {
  return {
    operation: { ...operation, authentication: 'account' },
    schema: { ...schema, response: meteredAnswers(answers(own, ...accountCodes, ...codes), false) },
  };
}

/** The codes of a route that changes something, and of one that also reads a body. */
export const changeCodes = ['manage_right_required', 'csrf_rejected', 'payload_too_large'] as const;
export const bodyCodes = [...changeCodes, 'unsupported_media_type'] as const satisfies ErrorCode[];

/** As `session.ts` distinguishes a key from a session token. */
function hasKey({ headers }: HttpRequest): boolean {
  return headers['x-api-key'] !== undefined || readBearer(headers.authorization)?.startsWith('frm_') === true;
}

const NO_CREDENTIAL = 'An API key or a session is required: send a key in the X-API-Key header, or sign in.';
