import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './databases.ts';
import { type RunningServer, startServer } from './process.ts';

/** Callers that do not wait for each other, over several servers at once. */
export interface LoadOptions {
  /** Asked in turn, so that every server gets its share at every moment. */
  readonly urls: readonly string[];
  /** Asked in turn; default a search that needs nothing but the index. */
  readonly paths?: readonly string[];
  /** API keys, used in turn. */
  readonly keys: readonly string[];
  /** Requests under way at once. */
  readonly callers: number;
  /** What a caller waits after each answer, give or take a half. */
  readonly pauseMs?: number;
  /** Told of each answer as it comes. */
  readonly onAnswer?: (answer: Answer) => void;
}

export interface Answer {
  readonly url: string;
  readonly path: string;
  readonly key: string;
  /** 0 when the connection broke before an answer had begun. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `error.code` of the body, if it has one. */
  readonly code: string | undefined;
  /** `performance.now()` when it was sent, and how long its answer took, up to the last byte. */
  readonly sentAt: number;
  readonly ms: number;
}

export const SEARCH = '/api/v1/entities?q=holdings';

/** Sends so many requests and waits for all of them. */
export async function fire(count: number, options: LoadOptions): Promise<Answer[]> {
  let left = count;
  return call(options, () => left-- > 0);
}

export interface Traffic {
  /** So far. */
  readonly answers: readonly Answer[];
  /** Sends no more, waits for those under way, and gives all. */
  stop(): Promise<readonly Answer[]>;
}

/** Sends requests until told to stop. */
export function startTraffic(options: LoadOptions): Traffic {
  let going = true;
  const answers: Answer[] = [];
  const onAnswer = (answer: Answer) => {
    answers.push(answer);
    options.onAnswer?.(answer);
  };
  const ended = call({ ...options, onAnswer }, () => going);
  return {
    answers,
    stop() {
      going = false;
      return ended;
    },
  };
}

async function call(options: LoadOptions, goesOn: () => boolean): Promise<Answer[]> {
  const { urls, paths = [SEARCH], keys, callers, pauseMs = 0, onAnswer } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const answers: Answer[] = [];
  let sent = 0;
  const pick = <T>(items: readonly T[], at: number) => items[at % items.length] as T;
  async function callInTurn(): Promise<void> {
    while (goesOn()) {
      const at = sent++;
      // Paths and keys go round more slowly than servers, so that each meets each.
      const path = pick(paths, Math.floor(at / urls.length));
      const answer = await ask(agent, pick(urls, at), path, pick(keys, Math.floor(at / urls.length / paths.length)));
      answers.push(answer);
      onAnswer?.(answer);
      // Not all the same, so that callers who were held up together part again.
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
      // From here on it counts as answered, even if the rest does not come.
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

/** Several servers on one database, as several machines would be. */
export interface ServerSet {
  readonly urls: readonly string[];
  at(index: number): RunningServer;
  /** Starts the one that was killed anew. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function startServers(
  database: TestDatabase,
  count: number,
  env: Record<string, string> = {},
): Promise<ServerSet> {
  const options = { env: { LOG_LEVEL: 'error', ...env } };
  // The first one migrates; a server that fails to start must not leave the others running.
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

/** How often each status and code came, for messages. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const name = code === undefined ? String(status) : `${status} ${code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** The numbers of a header, greatest first. */
export function numbersOf(header: string, answers: readonly Answer[]): number[] {
  return answers.map(({ headers }) => Number(headers[header])).toSorted((a, b) => b - a);
}

/** `count - 1` … 0. */
export const countdown = (count: number) => Array.from({ length: count }, (_, index) => count - 1 - index);

/** Waits until the clock minute has so much of it left: what has to lie within one minute can begin. */
export async function untilMinuteHas(ms: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < ms) await sleep(left + 50);
}
