import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { makeFile, useFetching } from './fetching.ts';
import { type Answer, serveFile, usePublisher } from './publisher.ts';

/** What a publisher does with one request. */
interface Step {
  readonly replacesFile: boolean;
  readonly ignoresIfRange: boolean;
  readonly ignoresRange: boolean;
  /** Answers with this status and no file. */
  readonly refusal: number | undefined;
  readonly closeAfter: number | undefined;
}

const rarely = <T>(usual: T, rare: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    replacesFile: fc.boolean(),
    ignoresIfRange: fc.boolean(),
    ignoresRange: rarely(false, fc.constant(true)),
    refusal: rarely<number | undefined>(undefined, fc.constantFrom(416, 503)),
    closeAfter: fc.option(fc.integer({ min: 1_000, max: 6_000 }), { nil: undefined, freq: 3 }),
  }),
  { minLength: 2, maxLength: 6 },
);

describe('a download over a bad connection', () => {
  const publisher = usePublisher();
  let versions: Buffer[];
  before(async () => {
    versions = await Promise.all([1, 2, 3].map((seed) => makeFile(60, seed)));
  });

  /** Answers the requests as planned, and then correctly. */
  function misbehave(plan: readonly Step[]): Answer {
    let request = 0;
    let version = 0;
    return (message, response) => {
      const step = plan[request++];
      if (step?.replacesFile) version = (version + 1) % versions.length;
      if (step?.refusal !== undefined) return void response.writeHead(step.refusal).end();
      if (step?.ignoresIfRange) delete message.headers['if-range'];
      if (step?.ignoresRange) delete message.headers.range;
      serveFile({ body: versions[version] ?? Buffer.alloc(0) }, step?.closeAfter)(message, response);
    };
  }

  test('ends with exactly one version of the file, whatever the publisher does, in one run or in several', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 12 }), async (plan, attempts) => {
        const { fetch, state } = useFetching();
        publisher.offer('/register.csv', misbehave(plan));
        const settings = { addresses: [`${publisher.url}/register.csv`], limits: { attempts, pauseMs: 0 } };
        let result = await fetch(settings);
        for (let runs = 0; result.outcome === 'failed' && runs < 12; runs++) {
          assert.deepEqual((await state()).snapshots, []);
          result = await fetch(settings);
        }
        assert.equal(result.outcome, 'new', result.message ?? '');
        const content = readFileSync(result.files[0]?.path ?? '');
        assert.ok(versions.some((version) => version.equals(content)));
      }),
      { numRuns: 20 },
    );
  });
});
