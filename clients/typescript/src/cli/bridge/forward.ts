import { readEvents } from './event-stream.ts';
import { describeMessage, isObject, type Message } from './message.ts';
import { Problem } from './problem.ts';

export interface Service {
  /** Address of the service, without `/mcp`. */
  readonly url: string;
  readonly key: string;
}

/** Longer than the service takes for any message. */
const TIMEOUT_MS = 120_000;

/** Sends a message to the service and returns its replies: none for a notification, usually one for a request. */
export async function* forward(
  service: Service,
  message: Message,
  version: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message> {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, TIMEOUT_MS);
  signal.addEventListener('abort', abort);
  try {
    const response = await send(service, message, version, controller.signal);
    if (response.headers.get('content-type')?.startsWith('text/event-stream') && response.body) {
      for await (const data of readEvents(response.body)) {
        const reply = parse(data);
        if (isObject(reply) && reply.jsonrpc === '2.0') yield reply;
      }
      return;
    }
    const text = await response.text();
    const reply = parse(text);
    if (isObject(reply) && reply.jsonrpc === '2.0') yield { ...reply, id: reply.id ?? message.id };
    else if (!response.ok || text !== '') throw describeReply(service, response, reply);
  } catch (error) {
    throw error instanceof Problem ? error : describeFailure(service, error, controller.signal.aborted);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    controller.abort();
  }
}

function send({ url, key }: Service, message: Message, version: string | undefined, signal: AbortSignal) {
  return fetch(`${url.replace(/\/+$/, '')}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...describeMessage(message, version),
      authorization: `Bearer ${key}`,
    },
    body: JSON.stringify(message),
    // The key is for this address only.
    redirect: 'manual',
    signal,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A reply that is not a message: an error of the API, or the page of a gateway. */
function describeReply({ url, key }: Service, { status, headers }: Response, body: unknown): Problem {
  const error: Readonly<Record<string, unknown>> = isObject(body) && isObject(body.error) ? body.error : {};
  const said = typeof error.message === 'string' ? error.message.replaceAll(key, '[hidden]') : '';
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const data = {
    status,
    ...(typeof error.code === 'string' && { code: error.code }),
    ...(typeof error.requestId === 'string' && { requestId: error.requestId }),
    ...(seconds >= 0 && { retryAfter: seconds }),
  };
  const describe = (text: string) => new Problem(text, undefined, data);
  if (status === 401) {
    return describe(
      `The service does not accept the API key: set FIRMAMENT_KEY to a key from ${url}/dashboard and start the assistant again.`,
    );
  }
  if (status >= 300 && status < 400) {
    return describe(
      `${url} redirects to another address: set FIRMAMENT_URL to that one and start the assistant again.`,
    );
  }
  const wait = seconds >= 0 ? ` Try again in ${seconds} seconds.` : '';
  if (said !== '') return describe(`${said}${wait}`);
  return describe(
    `${url}/mcp answers with status ${status} and no message of the protocol: is FIRMAMENT_URL the address of the service?${wait}`,
  );
}

/** Messages of `fetch` may repeat the request, so only the code of the system is shown. */
function describeFailure({ url }: Service, error: unknown, isLate: boolean): Problem {
  if (isLate) return new Problem(`${url} did not answer within ${TIMEOUT_MS / 1000} seconds: try again later.`);
  const cause = error instanceof Error ? error.cause : undefined;
  const code = isObject(cause) && typeof cause.code === 'string' ? ` (${cause.code})` : '';
  return new Problem(
    `There is no complete reply from ${url}${code}: check that the service runs and that FIRMAMENT_URL is its address, then try again.`,
  );
}
