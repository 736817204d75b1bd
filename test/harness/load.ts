import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './databases.ts';
import { type RunningServer, startServer } from './process.ts';

/** Load on several servers from callers that do not wait for each other. */
export interface LoadOptions {
  /** Used in turn, so that every server gets its share at every moment. */
  readonly urls: readonly string[];
  /** Used in turn. Default: a search, which reads only the index. */
  readonly paths?: readonly string[];
  /** API keys, used in turn. */
  readonly keys: readonly string[];
  /** Number of requests in flight. */
  readonly callers: number;
  /** The pause of a caller after each answer, randomized by ±50 %. */
  readonly pauseMs?: number;
  /** Called with each answer as it arrives. */
  readonly onAnswer?: (answer: Answer) => void;
}

export interface Answer {
  readonly url: string;
  readonly path: string;
  readonly key: string;
  /** 0 if the connection broke before the answer started. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `error.code` of the body, if present. */
  readonly code: string | undefined;
  /** `performance.now()` when the request was sent, and the time until the last byte of the answer. */
  readonly sentAt: number;
  readonly ms: number;
}

export const SEARCH = '/api/v1/entities?q=holdings';

/** Sends `count` requests and waits for all answers. */
export async function fire(count: number, options: LoadOptions): Promise<Answer[]> {
  let left = count;
  return call(options, () => left-- > 0);
}

export interface Traffic {
  /** The answers so far. */
  readonly answers: readonly Answer[];
  /** Stops sending, waits for the requests in flight, and returns all answers. */
  stop(): Promise<readonly Answer[]>;
}

/** Sends requests until `stop` is called. */
export function startTraffic(options: LoadOptions): Traffic {
  let isRunning = true;
  const answers: Answer[] = [];
  const onAnswer = (answer: Answer) => {
    answers.push(answer);
    options.onAnswer?.(answer);
  };
  const ended = call({ ...options, onAnswer }, () => isRunning);
  return {
    answers,
    stop() {
      isRunning = false;
      return ended;
    },
  };
}

async function call(options: LoadOptions, shouldContinue: () => boolean): Promise<Answer[]> {
  const { urls, paths = [SEARCH], keys, callers, pauseMs = 0, onAnswer } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const answers: Answer[] = [];
  let sent = 0;
  const pick = <T>(items: readonly T[], at: number) => items[at % items.length] as T;
  async function callInTurn(): Promise<void> {
    while (shouldContinue()) {
      const at = sent++;
      // Paths change more slowly than servers, and keys more slowly than paths, so that all combinations occur.
      const path = pick(paths, Math.floor(at / urls.length));
      const answer = await ask(agent, pick(urls, at), path, pick(keys, Math.floor(at / urls.length / paths.length)));
      answers.push(answer);
      onAnswer?.(answer);
      // Randomized, so that callers that were delayed together spread out again.
      if (pauseMs > 0) await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
  await Promise.all(Array.from({ length: callers }, callInTurn));
  agent.destroy();
  return answers;
}

function ask(agent: Agent, url: string, path: string, key: string): Promise<Answer> {
  return new Promise((resolve) => {
    const sentAt = performance.now();
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let text = '';
    const end = () => {
      const code = /"code":"(\w+)"/.exec(status >= 400 ? text : '')?.[1];
      resolve({ url, path, key, status, headers, code, sentAt, ms: performance.now() - sentAt });
    };
    const sending = request(url + path, { agent, headers: { 'x-api-key': key } }, (response) => {
      // From here on the request counts as answered, even if the body is incomplete.
      status = response.statusCode ?? 0;
      headers = response.headers;
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('close', end);
      response.on('error', () => undefined);
    });
    sending.on('error', () => {
      if (status === 0) end();
    });
    sending.end();
  });
}

/** Several server processes on one database. */
export interface ServerSet {
  readonly urls: readonly string[];
  at(index: number): RunningServer;
  /** Replaces a killed server with a new one. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(
  database: TestDatabase,
  count: number,
  env: Record<string, string> = {},
): Promise<ServerSet> {
  const options = { env: { LOG_LEVEL: 'error', ...env } };
  // The first server migrates. If one fails to start, the others must not keep running.
  const servers: RunningServer[] = [];
  const close = async () => {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ ended }) => ended));
  };
  try {
    servers.push(await startServer(database, options));
    const others = Array.from({ length: count - 1 }, () => startServer(database, options));
    for (const outcome of await Promise.allSettled(others)) {
      if (outcome.status === 'rejected') throw outcome.reason;
      servers.push(outcome.value);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    get urls() {
      return servers.map(({ url }) => url);
    },
    at: (index) => servers[index] as RunningServer,
    async restart(index) {
      servers[index] = await startServer(database, options);
    },
    close,
  };
}

export const of = (status: number, answers: readonly Answer[]) => answers.filter((answer) => answer.status === status);

/** The number of answers per status and error code, for messages. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const name = code === undefined ? String(status) : `${status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The values of a numeric header, in descending order. */
export function numbersOf(header: string, answers: readonly Answer[]): number[] {
  return answers.map(({ headers }) => Number(headers[header])).toSorted((a, b) => b - a);
}

/** The numbers from `count - 1` down to 0. */
export const countdown = (count: number) => Array.from({ length: count }, (_, index) => count - 1 - index);
