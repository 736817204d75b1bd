import { type Answer, fire, of, startTraffic } from '../../harness/load.ts';
import { startServer } from '../../harness/process.ts';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { startTarget, type Target } from '../target.ts';

/**
 * Searches that PostgreSQL has to read much for: fragments without a trigram, fragments of almost every name, filters that exclude
 * nothing, the last pages, and patterns of punctuation and rare characters.
 */
const WORST = [
  'q=a',
  'q=li',
  'q=1',
  'q=00',
  'q=ltd',
  'q=limited',
  'q=the',
  'q=',
  'page=100000&pageSize=100',
  'page=9007199254740991',
  'q=e&page=100000',
  'q=limited&page=2000&pageSize=100',
  'q=%25',
  'q=_',
  'q=%5C%25_%5C',
  'q=-',
  'q=.%2F-.%2F-',
  'q=%C3%9F',
  'q=%F0%9F%92%BC',
  'q=%E2%80%8B',
  `q=${'a'.repeat(200)}`,
  `q=${'1.'.repeat(100)}`,
  `q=${'%25'.repeat(200)}`,
  'status=active',
  'country=gb&status=active&page=5000',
  'register=gb&q=o',
  'legalForm=Private+Limited+Company',
  'legalForm=Private+Limited+Company&page=3000&pageSize=100',
  'legalForm=Private+Limited+Company&q=an',
  'activity=62012',
  'activity=62012&q=e',
  'activity=None+Supplied&q=limited',
] as const;

const COMPANIES = 300_000;
/** What other accounts request meanwhile. */
const SIMPLE = [
  '/api/v1/entities?q=zyxwv',
  '/api/v1/countries',
  '/api/v1/entities/00000000-0000-5000-8000-000000000000',
];
const WITHIN_MS = 2_000;
const IN_FLIGHT = 100;

const slowest = (answers: readonly Answer[]) => Math.round(Math.max(...answers.map(({ ms }) => ms)));

/** A second server on the same database. Its first start builds the indexes, which takes longer than other starts. */
async function startPostgresSearch({ database }: Target) {
  const env = { SEARCH_ENGINE: 'postgres', LOG_LEVEL: 'fatal' };
  const server = await startServer(database, { until: 'live', env });
  const isReady = async () => (await fetch(`${server.url}/api/v1/health/ready`)).status === 200;
  await until('the indexes are built', isReady, 300_000);
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      server.kill('SIGKILL');
      await server.ended;
    },
  };
}

export const attacks: readonly Attack[] = [
  {
    name: 'worst-case searches in PostgreSQL, and one account with 100 of them in flight',
    engines: ['postgres'],
    timeoutMs: 900_000,
    async run(engine) {
      await using target = await startTarget(engine, { companies: COMPANIES });
      await using attacked = await startPostgresSearch(target);
      const { url } = attacked;
      const attacker = await target.office.createAccount();
      const other = await target.office.createAccount();
      const paths = WORST.map((query) => `/api/v1/entities?${query}`);
      const options = { urls: [url], paths, keys: attacker.keys };

      const alone = await fire(WORST.length, { ...options, callers: 1 });
      const others = startTraffic({ urls: [url], paths: SIMPLE, keys: other.keys, callers: 2, pauseMs: 50 });
      const together = await fire(5 * IN_FLIGHT, { ...options, callers: IN_FLIGHT });
      const witnesses = await others.stop();

      const answers = [...alone, ...together];
      const unexpected = answers.filter(({ status }) => status !== 200 && status !== 503).length;
      const failed = witnesses.filter(({ status }) => status !== 200 && status !== 404).length;
      const charged = (await target.office.settle(attacker.accountId)).quota;
      const served = of(200, answers).length;
      // With 100 in flight, PostgreSQL takes all cores, so how fast they are refused depends on the machine.
      const isInTime = slowest([...alone, ...witnesses]) <= WITHIN_MS;
      const held = unexpected + failed === 0 && isInTime && charged === served;
      const figures = [
        `alone: ${of(503, alone).length} of ${alone.length} stopped, slowest ${slowest(alone)} ms`,
        `${IN_FLIGHT} in flight: ${of(503, together).length} of ${together.length} refused, slowest ${slowest(together)} ms`,
        `${served} served, ${charged} charged`,
        `others: ${witnesses.length} requests, ${failed} failed, slowest ${slowest(witnesses)} ms`,
      ].join('; ');
      return { held, figures };
    },
  },
];
