import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Outcome } from '../attack.ts';
import { type ProxiedTarget, speak, startProxied } from '../proxied-target.ts';
import { PROXY_HOST, proxyNames } from '../proxy.ts';
import { readReplies } from '../replies.ts';

const CONNECTIONS = 1_000;
/** Fewer than the connections per address that the proxies allow. */
const AT_ONCE = 20;

/** A kind of request, and the statuses that answer it. */
interface Kind {
  readonly method: string;
  readonly path: string;
  readonly lines?: readonly string[];
  readonly body?: string;
  readonly statuses: readonly number[];
}

interface Sent extends Kind {
  readonly id: string;
}

function listKinds(key: string, entity: string): readonly Kind[] {
  const withKey = [`X-API-Key: ${key}`];
  return [
    { method: 'GET', path: '/api/v1/plans', statuses: [200] },
    { method: 'HEAD', path: '/api/v1/plans', statuses: [200] },
    { method: 'GET', path: '/api/v1/openapi.json', lines: ['Accept-Encoding: gzip'], statuses: [200] },
    { method: 'GET', path: `/api/v1/entities/${entity}`, lines: withKey, statuses: [200] },
    { method: 'HEAD', path: `/api/v1/entities/${entity}`, lines: withKey, statuses: [200] },
    { method: 'GET', path: `/api/v1/entities/${entity}`, lines: [...withKey, 'If-None-Match: *'], statuses: [304] },
    { method: 'GET', path: '/api/v1/entities?q=a&pageSize=100', lines: withKey, statuses: [200] },
    { method: 'GET', path: '/api/v1/entities?page=0', lines: withKey, statuses: [400] },
    { method: 'GET', path: '/api/v1/nothing', statuses: [404] },
    {
      method: 'POST',
      path: '/api/v1/api-keys',
      lines: ['Content-Type: application/json'],
      body: '{"name":"x"}',
      statuses: [401],
    },
    {
      method: 'POST',
      path: '/api/v1/billing/portal',
      lines: ['Expect: 100-continue'],
      body: 'x',
      statuses: [401, 415],
    },
    { method: 'DELETE', path: '/api/v1/plans', statuses: [405] },
  ];
}

function render({ method, path, lines = [], body, id }: Sent, port: number): string {
  const length = body === undefined ? [] : [`Content-Length: ${body.length}`];
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${PROXY_HOST}:${port}`,
    `X-Request-ID: ${id}`,
    ...lines,
    ...length,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

/** Sends several requests at once and hangs up at a random moment, or waits for all answers. */
async function pipeline(proxied: ProxiedTarget, requests: readonly Sent[], isPatient: boolean): Promise<Buffer> {
  const socket = await proxied.connect();
  const bytes = requests.map((request) => render(request, proxied.proxy.port)).join('');
  if (!isPatient) setTimeout(() => socket.destroy(), Math.random() * 30);
  return speak(socket, bytes, 2_000, (received) => {
    return readReplies(received, methodsOf(requests)).length === requests.length;
  });
}

const methodsOf = (requests: readonly Sent[]) => requests.map(({ method }) => method);

async function mixUp(proxied: ProxiedTarget, key: string): Promise<Outcome> {
  const search = await proxied.ask('/api/v1/entities?pageSize=1', { headers: { 'x-api-key': key } });
  const kinds = listKinds(key, JSON.parse(search.body.toString()).data[0].id);
  const problems: string[] = [];
  let [sent, answered, left] = [0, 0, CONNECTIONS];

  async function run(): Promise<void> {
    while (left-- > 0) {
      const count = 1 + Math.floor(Math.random() * 8);
      const requests = Array.from({ length: count }, (): Sent => {
        return { ...(kinds[Math.floor(Math.random() * kinds.length)] as Kind), id: randomUUID() };
      });
      const isPatient = Math.random() < 0.5;
      const replies = readReplies(await pipeline(proxied, requests, isPatient), methodsOf(requests));
      for (const [at, reply] of replies.entries()) {
        const { id, method, path, statuses } = requests[at] as Sent;
        const own = reply.headers.get('x-request-id') === id && statuses.includes(reply.status);
        if (!own) problems.push(`${method} ${path} got ${reply.status} of ${reply.headers.get('x-request-id')}`);
      }
      if (isPatient && replies.length < count) problems.push(`${replies.length} of ${count} answers`);
      sent += count;
      answered += replies.length;
      await sleep(Math.random() * 5);
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, run));
  const failures = proxied.countFailures();
  const counts = `${sent} requests on ${CONNECTIONS} connections, ${answered} answered`;
  return {
    held: problems.length === 0 && failures === 0 && answered > 0,
    figures:
      `${counts}, ${problems.length} wrong, ${failures} answers with 5xx ${problems.slice(0, 3).join('; ')}`.trim(),
  };
}

export const attacks: readonly Attack[] = proxyNames.map((name) => ({
  name: `pipelined and aborted requests through ${name} get their own answers`,
  async run(engine) {
    await using proxied = await startProxied(engine, name);
    const [key = ''] = (await proxied.target.office.createAccount()).keys;
    return await mixUp(proxied, key);
  },
}));
