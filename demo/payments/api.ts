import { hash } from 'node:crypto';
import { Failure, statusOf } from '../../src/base/errors.ts';
import { equalSecrets } from '../../src/base/secrets.ts';
import type { Routes } from '../../src/http/app.ts';
import type { HttpReply } from '../../src/http/reply.ts';
import type { HttpRequest } from '../../src/http/request.ts';
import { METHODS, type Method } from '../../src/http/route.ts';
import { PaymentError } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { type Operation, operations } from './operations.ts';
import { Parameters } from './parameters.ts';
import { findById, type StoredAnswer } from './state.ts';
import { catchUp } from './time.ts';

/**
 * The protocol of Stripe's REST API: secret key, form bodies, idempotency keys, headers and error bodies.
 * `operations.ts` has what each request does.
 */
interface ApiOptions {
  readonly ledger: Ledger;
  /** The address of the sandbox, known only once the server listens. */
  readonly address: () => string;
}

/** Stripe forgets idempotency keys after a day. */
const ANSWER_LIFE_MS = 86_400_000;
const MAX_ANSWERS = 500;

export function registerApi(app: Routes, prefix: string, options: ApiOptions): void {
  const { ledger } = options;
  const serve = (url: string, method: Method, work: (request: ApiRequest, reply: HttpReply) => unknown) => {
    app.route({
      method,
      url: prefix + url,
      withoutHead: true,
      before: [
        (request, reply) => {
          reply.header('Request-Id', makeId('req', 14));
          // Billing derives from it how fresh an answer is, so it has to be sandbox time.
          reply.header('Date', new Date(ledger.now() * 1000).toUTCString());
          return attempt(request, reply, () => requireKey(request, ledger.state.secretKey));
        },
      ],
      handler: (request, reply) => attempt(request, reply, () => work(request as ApiRequest, reply)),
    });
  };
  for (const [method, path, operation] of operations) {
    serve(path, method, (request, reply) => answer(options, operation, request, reply));
  }
  for (const method of METHODS) {
    serve('/v1/*', method, ({ url }) => {
      const path = url.slice(prefix.length).split('?', 1)[0];
      throw new PaymentError(`Unrecognized request URL (${method}: ${path}).`, { status: 404 });
    });
  }
}

function requireKey({ headers }: HttpRequest, secretKey: string): void {
  const [, key] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (key !== undefined && equalSecrets(key, secretKey)) return;
  const message =
    key === undefined
      ? 'You did not provide an API key: send it as "Authorization: Bearer YOUR_SECRET_KEY".'
      : `Invalid API Key provided: ${key.slice(0, 8)}****`;
  throw new PaymentError(message, { status: 401 });
}

type ApiRequest = HttpRequest<{ Params: { id?: string } }>;

function answer({ ledger, address }: ApiOptions, operation: Operation, request: ApiRequest, reply: HttpReply): unknown {
  catchUp(ledger);
  const form = request.method === 'POST' ? String(request.body ?? '') : (/\?(.*)$/s.exec(request.url)?.[1] ?? '');
  const call = { ledger, params: new Parameters(form), id: request.params.id ?? '', address: address() };
  if (request.method === 'GET') return operation(call);

  const key = readIdempotencyKey(request);
  const fingerprint = hash('sha256', `${request.url} ${form}`, 'hex');
  const stored = key === undefined ? undefined : findAnswer(ledger, key);
  if (key !== undefined && stored !== undefined) return replay(stored, key, fingerprint, reply);
  return ledger.change(() => {
    // A copy: a replay returns what was true at the time of the first request.
    const body = structuredClone(operation(call));
    if (key !== undefined) storeAnswer(ledger, key, { fingerprint, body, at: ledger.realNow() });
    return body;
  });
}

function readIdempotencyKey({ headers }: HttpRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  if (key.length <= 255) return key;
  throw new PaymentError('Idempotency keys have at most 255 characters.', { type: 'idempotency_error' });
}

function findAnswer({ state, realNow }: Ledger, key: string): StoredAnswer | undefined {
  const stored = findById(state.answers, key);
  return stored !== undefined && stored.at + ANSWER_LIFE_MS > realNow() ? stored : undefined;
}

function replay(stored: StoredAnswer, key: string, fingerprint: string, reply: HttpReply): unknown {
  if (stored.fingerprint !== fingerprint) {
    const message =
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
      `Try using a key other than '${key}' if you meant to execute a different request.`;
    throw new PaymentError(message, { type: 'idempotency_error' });
  }
  reply.header('Idempotent-Replayed', 'true');
  return stored.body;
}

/** Only successful requests get here: a rejected one has changed nothing and can be sent again with the same key. */
function storeAnswer({ state }: Ledger, key: string, stored: StoredAnswer): void {
  delete state.answers[key];
  // An assignment would set the prototype if the key were `__proto__`.
  Object.defineProperty(state.answers, key, { value: stored, enumerable: true, writable: true, configurable: true });
  for (const old of Object.keys(state.answers).slice(0, -MAX_ANSWERS)) delete state.answers[old];
}

function attempt(request: HttpRequest, reply: HttpReply, work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return sendError(error, request, reply);
  }
}

function sendError(error: unknown, request: HttpRequest, reply: HttpReply): HttpReply {
  if (error instanceof PaymentError) return reply.code(error.status).send(error.toBody());
  // The body could not be read.
  if (error instanceof Failure) return reply.code(statusOf(error.code)).send(new PaymentError(error.message).toBody());
  request.log.error({ err: error }, 'payment sandbox: a request failed');
  const body = new PaymentError('An error occurred in the payment sandbox.', { type: 'api_error' }).toBody();
  return reply.code(500).send(body);
}
