import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fail } from '../../src/base/errors.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import type { Answer } from '../sources/publisher.ts';
import { makeLv, useUpdating } from './updating.ts';

const DAY = 86_400_000;
const GOOD_ROWS = 40;

const page = Buffer.from('<!DOCTYPE html><html><form action="/login"><input type="password"></form></html>');

interface Fault {
  readonly what: string;
  readonly answer?: () => Promise<Buffer | Answer>;
  /** The kept files are gone, so that only the import can refuse. */
  readonly withoutSources?: true;
  readonly message: RegExp;
}

/** `test/sources` has all faults of publishers. Here are one of each way to fail, and those that only the import sees. */
const faults: readonly Fault[] = [
  { what: 'a web page', answer: async () => page, message: /is an HTML page.*quarantine/ },
  {
    what: 'a changed header',
    answer: async () => Buffer.from((await makeLv(GOOD_ROWS)).toString().replace('regcode', 'code')),
    message: /lacks the column "regcode".*quarantine/,
  },
  {
    what: 'ten per cent of the rows when nothing is kept to compare them with',
    answer: () => makeLv(GOOD_ROWS / 10),
    withoutSources: true,
    message:
      /^The files lack 36 of the 40 companies .*Nothing was imported: compare .*"firmament import lv \S+\/\*"\.$/,
  },
  {
    what: 'too many bad rows',
    answer: async () => Buffer.from((await makeLv(GOOD_ROWS)).toString().replaceAll(/^4\d{10}/gm, 'x')),
    message: /^\d+ of \d+ rows .*Nothing was imported/,
  },
  {
    what: 'a publisher that fails',
    answer: async () => answerWith(503, { 'retry-after': '0' }),
    message: /503.*run the command again later/,
  },
];

function answerWith(status: number, headers: Record<string, string> = {}): Answer {
  return (_request, response) => void response.writeHead(status, headers).end();
}

describe('an update changes nothing, says why in a sentence and records it, if the publisher offers', () => {
  const it = useUpdating('sqlite');
  const offerGood = async () => it.publisher.offer('/register.csv', { body: await makeLv(GOOD_ROWS) });

  for (const { what, answer, withoutSources, message: expected } of faults) {
    test(what, async () => {
      await offerGood();
      assert.ok(['updated', 'unchanged'].includes((await it.update()).outcome));
      const before = await it.readState();
      const { checkedAt } = (await it.readCheck()) ?? {};
      if (withoutSources) it.forgetSources();
      const offered = await answer?.();
      if (offered !== undefined) {
        it.publisher.offer('/register.csv', typeof offered === 'function' ? offered : { body: offered });
      }
      it.clock.advance(DAY);
      const { outcome, message, generation } = await it.update();
      assert.deepEqual([outcome, generation], ['failed', null], message ?? '');
      assert.match(message ?? '', expected);
      assert.doesNotMatch(message ?? '', /unexpected/);
      assert.deepEqual(await it.readState(), before);
      const attempt = { register: 'lv', attemptedAt: it.clock.now(), checkedAt, failures: 1, problem: message };
      assert.deepEqual({ ...(await it.readCheck()) }, attempt);
    });
  }

  test('and the next update continues when the publisher has repaired it', async () => {
    it.publisher.offer('/register.csv', { body: await makeLv(GOOD_ROWS + 2) });
    const { outcome, counts } = await it.update();
    assert.deepEqual([outcome, counts?.added], ['updated', 2]);
    assert.equal((await it.readCheck())?.problem, null);
  });
});

describe('an update that fails for another reason than the publisher', () => {
  const it = useUpdating('sqlite');

  test('says that the database is not available, or that it is a bug, which is logged', async () => {
    for (const [error, words, lines] of [
      [
        fail('service_unavailable'),
        /^The database is not available \(.*\): nothing was changed, run the command again/,
        0,
      ],
      [new TypeError('x is not a function'), /^The update ended with an unexpected error \(x is not a function\)/, 1],
    ] as const) {
      const logged: unknown[] = [];
      const log = { info: () => {}, warn: (...line: unknown[]) => void logged.push(line) };
      const db: typeof it.db = Object.create(it.db, { all: { value: () => Promise.reject(error) } });
      const { outcome, message } = await it.update({ db, log });
      assert.equal(outcome, 'failed');
      assert.match(message ?? '', words);
      assert.equal(logged.length, lines);
    }
  });

  test('is not recorded if it was stopped', async () => {
    const before = { ...(await it.readCheck()) };
    it.clock.advance(DAY);
    const stopping = new AbortController();
    it.publisher.offer('/register.csv', () => stopping.abort());
    await assert.rejects(it.update({ signal: stopping.signal }), { name: 'AbortError' });
    assert.deepEqual({ ...(await it.readCheck()) }, before);
  });
});

describe('an older publication than the imported one', () => {
  const it = useUpdating('sqlite');
  const offer = async (path: string, rows: number, lastModified?: string) => {
    it.clock.advance(DAY);
    it.publisher.offer(path, { body: await makeLv(rows), ...(lastModified && { lastModified }) });
    return it.update({ paths: [path] });
  };
  const expectRefused = async (path: string, rows: number, reason: string, lastModified?: string) => {
    const before = await it.readState();
    const { outcome, message } = await offer(path, rows, lastModified);
    assert.equal(outcome, 'failed');
    assert.ok(message?.startsWith(reason), message ?? '');
    assert.deepEqual(await it.readState(), before);
    assert.equal((await it.readCheck())?.problem, message);
  };

  test('is refused by the day in its name', async () => {
    assert.equal((await offer('/lv-2026-03-10.csv', 40)).outcome, 'updated');
    await expectRefused(
      '/lv-2026-03-01.csv',
      39,
      'The publisher offers files of 2026-03-01, but files of 2026-03-10 are imported.',
    );
  });

  test('is refused under a new name, because its content was replaced before', async () => {
    const day = new Date(it.clock.now() - DAY).toISOString().slice(0, 10);
    assert.equal((await offer('/lv-2026-03-11.csv', 41)).outcome, 'updated');
    await expectRefused(
      '/lv-2026-03-12.csv',
      40,
      `The publisher offers files that were imported on ${day} and replaced since.`,
    );
    const again = await it.update({ paths: ['/lv-2026-03-12.csv'] });
    assert.deepEqual([again.outcome, (await it.readCheck())?.failures], ['failed', 2]);
    assert.equal((await offer('/lv-2026-03-13.csv', 41)).outcome, 'unchanged');
  });

  test('can be imported by hand, with a warning', async () => {
    await offer('/lv-2026-04-02.csv', 45);
    const { files } = await offer('/lv-2026-04-01.csv', 44);
    const paths = files.map(({ path }) => path);
    const { outcome, warnings } = await importFiles(it.db, it.clock, { register: lv, registers, paths });
    assert.equal(outcome, 'published');
    assert.ok(
      warnings.includes('the files are of 2026-04-01, older than those of 2026-04-02 that were imported before'),
      warnings.join(),
    );
  });
});
