import { Agent, request } from 'node:http';
import { createApiKey } from '../../../src/core/secrets.ts';
import { forgeSimilarKey } from '../../harness/similar-key.ts';
import type { Attack } from '../attack.ts';
import { startTarget } from '../target.ts';

/**
 * Does the time of a 401 say anything about a key? Keys are looked up by their SHA-256 hash, so nothing is compared
 * character by character. The figure is how often a refusal of one kind takes longer than one of another kind: 50 % if
 * they cannot be distinguished.
 */
const SAMPLES = 1_500;
/** The standard error of that figure is about one point with this many samples. */
const MAX_DIFFERENCE = 0.05;
/** Failures of one address are delayed after the first 20 per minute, so the attacker has many addresses. */
const FAILURES_PER_ADDRESS = 15;

async function measure(agent: Agent, url: string, key: string, localAddress: string): Promise<number> {
  const startedAt = performance.now();
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const options = { agent, localAddress, headers: { 'x-api-key': key } };
    const sent = request(`${url}/api/v1/countries`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end();
  });
  if (status !== 401) throw new Error(`an invalid key was answered ${status}`);
  return performance.now() - startedAt;
}

/** The share of pairs in which a value of `a` is greater than one of `b`; equal values count half. */
function measureShareGreater(a: readonly number[], b: readonly number[]): number {
  let wins = 0;
  for (const x of a) for (const y of b) wins += x > y ? 1 : x === y ? 0.5 : 0;
  return wins / (a.length * b.length);
}

export const attacks: readonly Attack[] = [
  {
    name: 'timing of refused keys: unknown, all but one character known, revoked',
    async run(engine) {
      await using target = await startTarget(engine, { companies: 0, env: { WORKERS: '1' } });
      const { keys, keyIds, accountId } = await target.office.createAccount({ keys: 2 });
      const [active = '', revoked = ''] = keys;
      await target.office.services.apiKeys.revoke(accountId, keyIds[1] ?? '');
      // Made beforehand: making a key takes longer than copying one, and the request after it would be slower.
      const unknownKeys = Array.from({ length: SAMPLES }, () => createApiKey('live'));
      const similarKey = forgeSimilarKey(active);
      const kinds = {
        unknown: () => unknownKeys.pop() ?? '',
        similar: () => similarKey,
        revoked: () => revoked,
      };
      const times: Record<string, number[]> = {};
      let requests = 0;
      let agent = new Agent({ keepAlive: true });
      for (let round = 0; round < SAMPLES; round++) {
        // In a random order, so that a slow moment of the machine affects all kinds alike.
        const order = Object.entries(kinds).toSorted(() => Math.random() - 0.5);
        for (const [kind, make] of order) {
          const key = make();
          const at = Math.floor(requests / FAILURES_PER_ADDRESS);
          if (requests++ % FAILURES_PER_ADDRESS === 0) {
            agent.destroy();
            agent = new Agent({ keepAlive: true });
          }
          const address = `127.1.${Math.floor(at / 250)}.${(at % 250) + 1}`;
          const elapsed = await measure(agent, target.url, key, address);
          times[kind] ??= [];
          if (round >= 50) times[kind].push(elapsed);
        }
      }
      agent.destroy();
      const { unknown = [], similar = [], revoked: ended = [] } = times;
      const shares = {
        similar: measureShareGreater(similar, unknown),
        revoked: measureShareGreater(ended, unknown),
      };
      const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
      const figures = Object.entries(shares).map(([kind, share]) => {
        return `${kind} slower than unknown in ${(100 * share).toFixed(1)} % of pairs`;
      });
      const medians = Object.entries(times).map(([kind, values]) => `${kind} ${median(values).toFixed(3)} ms`);
      const held = Object.values(shares).every((share) => Math.abs(share - 0.5) < MAX_DIFFERENCE);
      return { held, figures: `${figures.join(', ')}; medians: ${medians.join(', ')}` };
    },
  },
];
