import { randomUUID } from 'node:crypto';
import { until } from '../../harness/until.ts';
import type { Attack, Outcome } from '../attack.ts';
import { renderAttempts } from '../http2-frames.ts';
import { type ProxiedTarget, speak, startProxied } from '../proxied-target.ts';
import { PROXY_HOST, proxyNames } from '../proxy.ts';
import { pairs } from '../smuggling-pairs.ts';

interface Attempt {
  readonly title: string;
  readonly protocol: 'http/1.1' | 'h2';
  /** The id and path of the hidden request. */
  readonly id: string;
  readonly path: string;
  readonly bytes: Buffer;
}

function listAttempts(port: number): Attempt[] {
  const hide = (title: string, protocol: Attempt['protocol'], render: (hidden: string) => Buffer): Attempt => {
    const id = randomUUID();
    const path = `/api/v1/hidden-${id}`;
    const hidden = `GET ${path} HTTP/1.1\r\nHost: ${PROXY_HOST}:${port}\r\nX-Request-ID: ${id}\r\n\r\n`;
    return { title, protocol, id, path, bytes: render(hidden) };
  };
  return [
    ...Object.entries(pairs).map(([title, pair]) =>
      hide(title, 'http/1.1', (hidden) => Buffer.from(pair(hidden), 'latin1')),
    ),
    ...Object.entries(renderAttempts(`${PROXY_HOST}:${port}`)).map(([title, render]) => hide(title, 'h2', render)),
  ];
}

/** Sends a request of another client, which uses the same connections between proxy and service. Returns its id. */
async function checkOther(proxied: ProxiedTarget, title: string, problems: string[]): Promise<string> {
  const id = randomUUID();
  const { status, headers } = await proxied.ask(`/api/v1/other-${id}`, { headers: { 'x-request-id': id } });
  if (status !== 404 || headers['x-request-id'] !== id) problems.push(`${title}: another client got ${status}`);
  return id;
}

/** A hidden request may be answered only if the proxy knows about it, and other clients must get their own answers. */
async function smuggle(proxied: ProxiedTarget): Promise<Outcome> {
  const problems: string[] = [];
  const attempts = listAttempts(proxied.proxy.port);
  let lastId = '';
  for (const { title, protocol, bytes } of attempts) {
    await speak(await proxied.connect(protocol), bytes, 250);
    for (let other = 0; other < 3; other++) lastId = await checkOther(proxied, title, problems);
  }
  // Both logs are written in order, so they also contain every hidden request that was answered.
  await until('both logs are complete', () => {
    return proxied.findLogged(lastId).length > 0 && proxied.proxy.log().includes(lastId);
  });
  const served = attempts.filter(({ id }) => proxied.findLogged(id).length > 0);
  const unseen = served.filter(({ path }) => !proxied.proxy.log().includes(path));
  problems.push(...unseen.map(({ title }) => `${title}: the service answered a request that the proxy did not see`));
  // The attempts that hide nothing show that the logs would reveal a hidden request.
  const controls = attempts.filter(({ title }) => title.includes('nothing hidden'));
  if (!controls.every((control) => served.includes(control)))
    problems.push('a request that was not hidden was not served');
  const failures = proxied.countFailures();
  const counts = `${attempts.length} pairs, ${served.length} second requests seen by both, ${failures} answers with 5xx`;
  return {
    held: problems.length === 0 && failures === 0,
    figures: `${counts}, ${problems.slice(0, 3).join('; ') || 'other clients got their own answers'}`,
  };
}

export const attacks: readonly Attack[] = proxyNames.map((name) => ({
  name: `request smuggling through ${name}`,
  async run(engine) {
    await using proxied = await startProxied(engine, name, { companies: 0 });
    return await smuggle(proxied);
  },
}));
