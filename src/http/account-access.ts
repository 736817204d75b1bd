import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { TSchema } from 'typebox';
import { type ErrorCode, fail } from '../core/errors.ts';
import type { Site } from '../core/site.ts';
import type { AccountTerms } from '../core/usage.ts';
import type { Exchange, Needs, PricedOperation } from '../operations/operation.ts';
import { startDeadline } from '../system/deadline.ts';
import { type Answer, answers, meteredAnswers } from './answers.ts';
import type { App } from './app-type.ts';
import { guardBodies } from './charged/bodies.ts';
import { type DataGate, takeAnswer } from './charged/route.ts';
import type { Operation } from './contract.ts';
import { readBearer } from './credentials.ts';
import { type RequireSession, sessionCodes, signedInOf } from './session.ts';
import { requireSite } from './transport/host.ts';
import { checkQueryEncoding } from './validation.ts';

/** The error codes of routes that take an API key or a session, for the contract. Those that change something add `csrf_rejected`. */
export const accountCodes = [
  'api_key_required',
  'invalid_api_key',
  'rate_limit_exceeded',
  ...sessionCodes.filter((code) => code !== 'session_required'),
] as const satisfies ErrorCode[];

/** For routes of an account that programs and people use: with an API key, or with a session. */
export interface AccountAccess {
  /** Put these hooks on every route of the scope. */
  readonly hooks: ReturnType<typeof guardBodies>;
  /** A request of this account on its way through the executor. */
  startExchange<Input>(request: FastifyRequest, reply: FastifyReply, input: Input): Exchange<Input>;
  /** Does free work for the account. With an API key, it counts in the rate window of the key, before validation. */
  perform<T>(request: FastifyRequest, reply: FastifyReply, work: Work<T>): Promise<T>;
  /** The same for a change: the key needs the right to manage. Sessions have it. */
  change<T>(request: FastifyRequest, reply: FastifyReply, work: Work<T>): Promise<T>;
}

type Work<T> = (account: AccountTerms) => Promise<T>;

/** The scope must have such routes only, with `attachValidation`. */
export function createAccountAccess(
  scope: App,
  gate: DataGate,
  site: Site,
  requireSession: RequireSession,
): AccountAccess {
  const { executor, now } = gate;
  const guard = guardBodies(scope, gate);

  async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authorization, cookie } = request.headers;
    if (hasKey(request)) return guard.onRequest(request, reply);
    if (authorization === undefined && cookie === undefined) throw fail('api_key_required', { message: NO_CREDENTIAL });
    requireSite(request.raw, site);
    return requireSession(request);
  }

  function startExchange<Input>(request: FastifyRequest, reply: FastifyReply, input: Input): Exchange<Input> {
    if (request.exchange !== null) return { ...(request.exchange as Exchange<unknown>), input };
    const { account } = signedInOf(request);
    const deadline = startDeadline(request.startedAt);
    return { input, credential: { kind: 'session', account }, deadline, response: reply.raw, caller: null };
  }

  async function run<T>(needs: Needs, request: FastifyRequest, reply: FastifyReply, work: Work<T>): Promise<T> {
    if (request.exchange === null) {
      requireValid(request);
      return work(signedInOf(request).account);
    }
    const operation: PricedOperation<undefined, undefined, T> = {
      needs,
      price: 'free',
      read: () => requireValid(request),
      answer: (_, { caller }) => work(caller),
    };
    const exchange = startExchange(request, reply, undefined);
    return takeAnswer(reply, await executor.perform(operation, exchange), now()).answer;
  }

  return {
    hooks: { onRequest, preHandler: guard.preHandler },
    startExchange,
    perform: (request, reply, work) => run({ credential: 'key', plan: 'any' }, request, reply, work),
    change: (request, reply, work) => run({ credential: 'key', plan: 'any', right: 'manage' }, request, reply, work),
  };
}

/** A route of an account as Fastify and the contract need it. `own` are its successful answers. */
export function describeAccountRoute<S extends Readonly<Record<string, TSchema>>>(
  { hooks }: AccountAccess,
  operation: Pick<Operation, 'operationId' | 'tag' | 'summary' | 'description'>,
  own: Readonly<Record<number, Answer>>,
  codes: readonly ErrorCode[],
  schema: S,
) {
  return {
    config: { operation: { ...operation, authentication: 'account' } as const },
    // The rate window comes before validation.
    attachValidation: true,
    serializerCompiler: () => JSON.stringify,
    ...hooks,
    schema: { ...schema, response: meteredAnswers(answers(own, ...accountCodes, ...codes), false) },
  } satisfies RouteShorthandOptions;
}

/** The codes of a route that changes something, and of one that also reads a body. */
export const changeCodes = ['manage_right_required', 'csrf_rejected', 'payload_too_large'] as const;
export const bodyCodes = [...changeCodes, 'unsupported_media_type'] as const satisfies ErrorCode[];

function requireValid(request: FastifyRequest): undefined {
  checkQueryEncoding(request.url);
  if (request.validationError !== undefined) throw request.validationError;
}

/** As `session.ts` distinguishes a key from a session token. */
function hasKey({ headers }: FastifyRequest): boolean {
  return headers['x-api-key'] !== undefined || readBearer(headers.authorization)?.startsWith('frm_') === true;
}

const NO_CREDENTIAL = 'An API key or a session is required: send a key in the X-API-Key header, or sign in.';
