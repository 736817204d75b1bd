import { createApiKey } from '../../../src/core/secrets.ts';
import { addressIn } from '../../harness/ipv6-range.ts';
import type { Attack } from '../attack.ts';
import { startTarget } from '../target.ts';

/** One customer of a provider, with all addresses of its network. The server believes the header of the attacker's "proxy". */
const NETWORK = '2001:db8:bad:1';
const ATTEMPTS = 1_000;
const CONCURRENCY = 20;
/** The preview of the portal allows this many searches per minute; the attack may see the end of a minute. */
const SEARCHES_PER_MINUTE = 30;

/** Sends the request from one address after the other, and returns the statuses. */
async function sendFromRange(send: (address: string) => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const client = async () => {
    for (let index = next++; index < ATTEMPTS; index = next++) statuses.push(await send(addressIn(NETWORK, index)));
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  return statuses;
}

async function fetchStatus(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.status;
}

export const attacks: readonly Attack[] = [
  {
    name: 'searches without an account from 1,000 addresses of an IPv6 network',
    engines: ['sqlite'],
    async run(engine) {
      await using target = await startTarget(engine, { env: { TRUST_PROXY: '127.0.0.1', WORKERS: '1' } });
      const search = (address: string) => fetchStatus(`${target.url}/explore?q=a`, { 'x-forwarded-for': address });
      const started = Date.now();
      const statuses = await sendFromRange(search);
      const minutes = Math.floor(Date.now() / 60_000) - Math.floor(started / 60_000) + 1;
      const granted = statuses.filter((status) => status === 200).length;
      const refused = statuses.filter((status) => status === 429).length;
      const others = [await search('2001:db8:90:1::1'), await search('203.0.113.7')];
      return {
        held:
          granted <= SEARCHES_PER_MINUTE * minutes &&
          granted + refused === ATTEMPTS &&
          others.every((status) => status === 200),
        figures: `${granted} granted, ${refused} refused; other visitors: ${others.join(', ')}`,
      };
    },
  },
  {
    name: 'wrong keys from 1,000 addresses of an IPv6 network',
    engines: ['sqlite'],
    async run(engine) {
      await using target = await startTarget(engine, { companies: 0, env: { TRUST_PROXY: '127.0.0.1', WORKERS: '1' } });
      const url = `${target.url}/api/v1/countries`;
      const guess = (address: string) =>
        fetchStatus(url, { 'x-forwarded-for': address, 'x-api-key': createApiKey('live') });
      const started = performance.now();
      const statuses = await sendFromRange(guess);
      const seconds = (performance.now() - started) / 1_000;
      const guessesPerMinute = Math.round((ATTEMPTS / seconds) * 60);
      // 20 failures at full speed; then every answer takes up to a second.
      const leastSeconds = (ATTEMPTS - 50) / CONCURRENCY / 1.1;
      return {
        held: statuses.every((status) => status === 401) && seconds >= leastSeconds,
        figures: `${ATTEMPTS} guesses in ${seconds.toFixed(0)} s, ${guessesPerMinute} per minute on ${CONCURRENCY} connections`,
      };
    },
  },
];
