import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { equalSecrets } from '../../core/secrets.ts';
import { PaymentError } from './errors.ts';
import { API_VERSION } from './events.ts';
import { expandObject } from './expand.ts';
import { parseForm } from './form.ts';
import { makeId } from './ids.ts';
import type { KeptAnswer, Ledger } from './ledger.ts';
import { type Operation, operations } from './operations.ts';
import { Parameters } from './parameters.ts';
import { catchUp } from './time.ts';

/**
 * How Stripe's REST API is spoken: the secret key, forms with brackets, idempotency keys, its headers and its way to say
 * no. What each request does stands in the operations.
 */
export interface ApiOptions {
  readonly ledger: Ledger;
  /** Of the sandbox, to be called when asked for. */
  readonly address: () => string;
}

const DAY_MS = 86_400_000;
const KEPT_ANSWERS = 500;

export function registerApi(app: FastifyInstance, prefix: string, options: ApiOptions): void {
  const { ledger } = options;
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('Request-Id', makeId('req', 14));
      reply.header('Stripe-Version', request.headers['stripe-version'] ?? API_VERSION);
      reply.header('Date', new Date(ledger.now() * 1000).toUTCString());
      requireKey(request, ledger.state.secretKey);
    });
    scope.setErrorHandler((error, request, reply) => sendError(error, request, reply));
    for (const [method, path, operation] of operations) {
      scope.route<{ Params: { id?: string } }>({
        method,
        url: prefix + path,
        handler: async (request, reply) => answer(options, operation, request, reply),
      });
    }
    scope.all(`${prefix}/v1/*`, async ({ method, url }) => {
      const path = url.slice(prefix.length).split('?', 1)[0];
      throw new PaymentError(`Unrecognized request URL (${method}: ${path}).`, { status: 404 });
    });
  });
}

export function requireKey({ headers }: FastifyRequest, secretKey: string): void {
  const [, key] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (key !== undefined && equalSecrets(key, secretKey)) return;
  const message =
    key === undefined
      ? 'You did not provide an API key: send it as "Authorization: Bearer YOUR_SECRET_KEY".'
      : `Invalid API Key provided: ${key.slice(0, 8)}****`;
  throw new PaymentError(message, { status: 401 });
}

type ApiRequest = FastifyRequest<{ Params: { id?: string } }>;

function answer(
  { ledger, address }: ApiOptions,
  operation: Operation,
  request: ApiRequest,
  reply: FastifyReply,
): unknown {
  catchUp(ledger);
  const isChange = request.method !== 'GET';
  const text = request.method === 'POST' ? String(request.body ?? '') : (/\?(.*)$/s.exec(request.url)?.[1] ?? '');
  const key = request.method === 'POST' ? readIdempotencyKey(request) : undefined;
  const fingerprint = hash('sha256', `${request.method} ${request.url} ${text}`, 'hex');
  const kept = key === undefined ? undefined : findAnswer(ledger, key);
  if (key !== undefined) reply.header('Idempotency-Key', key);
  if (key !== undefined && kept !== undefined) return replay(kept, key, fingerprint, reply);

  const params = new Parameters(parseForm(text));
  const expand = params.texts('expand');
  const requestId = String(reply.getHeader('Request-Id'));
  const work = () => {
    const made = operation({ ledger, params, id: request.params.id ?? '', address: address() });
    // A copy: what is answered is what was true then, however long the answer is kept.
    const body = structuredClone(expandObject(ledger.state, made, expand));
    if (key !== undefined) keepAnswer(ledger, key, { fingerprint, requestId, body, at: ledger.realNow() });
    return body;
  };
  return isChange ? ledger.change({ id: requestId, idempotency_key: key ?? null }, work) : work();
}

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  if (key.length <= 255) return key;
  throw new PaymentError('Idempotency keys have at most 255 characters.', { type: 'idempotency_error' });
}

function findAnswer({ state, realNow }: Ledger, key: string): KeptAnswer | undefined {
  const kept = Object.hasOwn(state.answers, key) ? state.answers[key] : undefined;
  return kept !== undefined && kept.at + DAY_MS > realNow() ? kept : undefined;
}

function replay(kept: KeptAnswer, key: string, fingerprint: string, reply: FastifyReply): unknown {
  if (kept.fingerprint !== fingerprint) {
    const message =
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
      `Try using a key other than '${key}' if you meant to execute a different request.`;
    throw new PaymentError(message, { type: 'idempotency_error' });
  }
  reply.header('Idempotent-Replayed', 'true').header('Original-Request', kept.requestId);
  return kept.body;
}

/** Of requests that succeed only: one that is refused has changed nothing and may be sent again. */
function keepAnswer({ state }: Ledger, key: string, kept: KeptAnswer): void {
  delete state.answers[key];
  Object.defineProperty(state.answers, key, { value: kept, enumerable: true, writable: true, configurable: true });
  for (const old of Object.keys(state.answers).slice(0, -KEPT_ANSWERS)) delete state.answers[old];
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof PaymentError) return reply.code(error.status).send(error.toBody());
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const message = (error as Error).message;
  if (status < 500) return reply.code(status).send(new PaymentError(message).toBody());
  request.log.error({ err: error }, 'payment sandbox: a request failed');
  const body = new PaymentError('An error occurred in the payment sandbox.', { type: 'api_error' }).toBody();
  return reply.code(500).send(body);
}
