import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AggregatorRegistry, Histogram, Registry } from 'prom-client';
import { createHistogram } from '../../src/observability/histogram.ts';
import { runs } from '../harness/depth.ts';

const BUCKETS = [0.0005, 0.01, 0.5, 1];
const OPTIONS = { name: 'duration_seconds', help: 'How long it took.', buckets: BUCKETS };

const observation = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'other'),
  route: fc.constantFrom('/api/v1/entities', '/api/v1/entities/:id', 'unmatched', 'a"b\\c\nd'),
  status: fc.constantFrom(200, 404, 503),
  seconds: fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 2, noNaN: true })),
});
const observations = fc.array(observation, { maxLength: 40 });

function observeBoth(all: readonly { method: string; route: string; status: number; seconds: number }[]) {
  const [ours, theirs] = [new Registry(), new Registry()];
  const histogram = createHistogram(ours, OPTIONS);
  const reference = new Histogram({ ...OPTIONS, labelNames: ['method', 'route', 'status'], registers: [theirs] });
  for (const { method, route, status, seconds } of all) {
    histogram.observe(method, route, status, seconds);
    reference.observe({ method, route, status }, seconds);
  }
  return [ours, theirs] as const;
}

test('the rendered text is that of the histogram of prom-client, for any observations', () =>
  fc.assert(
    fc.asyncProperty(observations, async (all) => {
      const [ours, theirs] = observeBoth(all);
      assert.equal(await ours.metrics(), await theirs.metrics());
    }),
    { numRuns: runs(100, 5_000) },
  ));

test('so is the sum over several threads', () =>
  fc.assert(
    fc.asyncProperty(observations, observations, async (first, second) => {
      const threads = [observeBoth(first), observeBoth(second)];
      const [ours, theirs] = await Promise.all(
        [0, 1].map(async (at) => {
          const reports = await Promise.all(threads.map((both) => (both[at] as Registry).getMetricsAsJSON()));
          // Messages between threads are copies.
          return AggregatorRegistry.aggregate(structuredClone(reports)).metrics();
        }),
      );
      assert.equal(ours, theirs);
    }),
    { numRuns: runs(50, 1_000) },
  ));
