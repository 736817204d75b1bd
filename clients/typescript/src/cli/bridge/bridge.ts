import { once } from 'node:events';
import { addAbortSignal, type Readable, type Writable } from 'node:stream';
import { forward, type Service } from './forward.ts';
import { readLines, TOO_LONG } from './lines.ts';
import { hasValidId, isObject, isRequest, type Message, readVersion } from './message.ts';
import { INVALID_REQUEST, PARSE_ERROR, Problem, writeProblem } from './problem.ts';

/**
 * A Model Context Protocol server over stdio for desktop assistants. It only carries messages to `POST {url}/mcp` and replies back, so
 * tools, charges and protocol exist once, on the service. This folder imports nothing else, because the repository's own command
 * `firmament mcp` runs it, too.
 */
export interface BridgeOptions extends Service {
  /** Messages of the assistant, one per line. */
  readonly input: Readable;
  /** Gets messages only, one per line. */
  readonly output: Writable;
  /** Gets sentences for people. They never contain the key. */
  readonly log: (text: string) => void;
  /** Ends the bridge at once. */
  readonly signal: AbortSignal;
}

/** More messages wait in the pipe until one of these is answered. */
const MAX_IN_FLIGHT = 100;

/** Ends when the input has ended and everything is answered, when the reader of the output has gone, or with the signal. */
export async function runBridge({ input, output, log, signal, ...service }: BridgeOptions): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const requests = new Map<string, AbortController>();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  let version: string | undefined;

  async function write(message: object): Promise<void> {
    if (stopping.signal.aborted || output.destroyed) return;
    if (!output.write(`${JSON.stringify(message)}\n`)) await once(output, 'drain', { signal: stopping.signal });
  }

  async function answer(message: Message, controller: AbortController): Promise<void> {
    const { id, method } = message;
    let isAnswered = false;
    try {
      for await (const reply of forward(service, message, version, controller.signal)) {
        if (controller.signal.aborted) return;
        if (method === 'initialize') version = readVersion(reply) ?? version;
        const isAnswer = reply.method === undefined;
        if (isAnswer && !isRequest(message))
          log(`The service does not accept a message: ${JSON.stringify(reply.error)}`);
        else await write(reply);
        isAnswered ||= isAnswer;
      }
      if (isRequest(message) && !isAnswered) throw new Problem('The service sent no reply: try again.');
    } catch (error) {
      if (controller.signal.aborted) return;
      const problem = error instanceof Problem ? error : new Problem('The bridge failed: this is a bug in it.');
      log(problem.message);
      if (isRequest(message) && !isAnswered) await write(writeProblem(id, problem));
    }
  }

  function start(message: Message): void {
    const controller = new AbortController();
    const key = isRequest(message) ? nameRequest(message.id) : undefined;
    const abort = () => controller.abort();
    stopping.signal.addEventListener('abort', abort);
    if (key !== undefined) requests.set(key, controller);
    const work = answer(message, controller)
      // The output has ended while a reply was waiting for it.
      .catch(stop)
      .finally(() => {
        stopping.signal.removeEventListener('abort', abort);
        if (key !== undefined && requests.get(key) === controller) requests.delete(key);
        inFlight.delete(work);
      });
    inFlight.add(work);
  }

  async function take(line: string | typeof TOO_LONG): Promise<void> {
    const message = line === TOO_LONG ? undefined : parse(line);
    if (line === TOO_LONG) await write(writeProblem(null, new Problem('The message is too long.', INVALID_REQUEST)));
    else if (message === undefined) await write(writeProblem(null, new Problem(NOT_JSON, PARSE_ERROR)));
    else if (!isObject(message)) await write(writeProblem(null, new Problem(NOT_A_MESSAGE, INVALID_REQUEST)));
    else if (isRequest(message) && !hasValidId(message))
      await write(writeProblem(null, new Problem('The id of a request must be a text or a number.', INVALID_REQUEST)));
    // A request is a connection of its own: closing it is how it is cancelled.
    else if (message.method === 'notifications/cancelled') requests.get(nameRequest(readCancelled(message)))?.abort();
    else start(message);
  }

  if (signal.aborted) return;
  signal.addEventListener('abort', stop);
  output.on('error', stop);
  addAbortSignal(stopping.signal, input);
  try {
    for await (const line of readLines(input)) {
      await take(line);
      if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    await Promise.all(inFlight);
    signal.removeEventListener('abort', stop);
  }
}

const NOT_JSON = 'Parse error: each line must be one message in JSON.';
const NOT_A_MESSAGE = 'Send one JSON-RPC message as a JSON object: batches are not part of the protocol.';

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The ids 1 and "1" are different. */
function nameRequest(id: unknown): string {
  return JSON.stringify(id) ?? '';
}

function readCancelled({ params }: Message): unknown {
  return isObject(params) ? params.requestId : undefined;
}
