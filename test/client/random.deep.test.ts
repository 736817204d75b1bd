import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Change, createClient } from '../../clients/typescript/src/index.ts';
import { runs } from '../harness/depth.ts';
import { useService } from '../harness/shared-service.ts';
import { publishChanges } from '../journal/journal.ts';
import { anySteps, persistent, type Step, useFaultProxy } from './fault-proxy.ts';

/** The countries of the changes of an import, in their order. */
type Import = readonly ('GB' | 'NO')[];

/** A program that follows changes and is killed now and then. */
interface Program {
  readonly country: 'GB' | undefined;
  readonly limit: number;
  /** Handles and stores whole pages instead of changes. */
  readonly byPage: boolean;
  /** After how many changes or pages each life ends. */
  readonly lives: readonly number[];
}

const anyImport: fc.Arbitrary<Import> = fc.array(fc.constantFrom('GB', 'NO'), { minLength: 1, maxLength: 6 });
const anyProgram: fc.Arbitrary<Program> = fc.record({
  country: fc.constantFrom('GB', undefined),
  limit: fc.integer({ min: 1, max: 8 }),
  byPage: fc.boolean(),
  lives: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }),
});

describe('following changes with the TypeScript client through faults and restarts', () => {
  const proxy = useFaultProxy();
  const service = useService('sqlite');

  /** Publishes changes with new ids, which it returns with their countries. */
  async function publish(countries: Import): Promise<{ id: string; country: string }[]> {
    service.clock.advance(60_000);
    const changes = countries.map((country) => {
      const after = [`${country} LTD`, 'active', null, null];
      return { type: 'added', country, register: 'gb', entityId: randomUUID(), after } as const;
    });
    await publishChanges(service.services.registryDb, { register: 'gb', publishedAt: service.clock.now(), changes });
    return changes.map(({ entityId: id, country }) => ({ id, country }));
  }

  test('every change exactly once and in order, across restarts of the program', async () => {
    const upstream = { url: service.url, key: await service.createKey() };
    let restarts = 0;

    async function check({ country, limit, byPage, lives }: Program, steps: readonly Step<Import>[]): Promise<void> {
      const expected: string[] = [];
      let requests = 0;
      // The last import comes after all faults, so that the program has a change to end with.
      const all: readonly Partial<Step<Import>>[] = [...steps, { event: ['NO', 'GB'] }];
      proxy.direct(async () => {
        const { fault = null, event = null } = all[requests] ?? {};
        requests += 1;
        assert.ok(requests < all.length + 1_000, 'a change was missed, and the program waits for it');
        for (const { id, country: of } of event === null ? [] : await publish(event)) {
          if (country === undefined || of === country) expected.push(id);
        }
        return { upstream, fault };
      });
      const start = () => createClient({ url: proxy.url, ...persistent });
      const handled: (string | null)[] = [];
      let cursor = await createClient(upstream).changes.now();
      const store = (changes: readonly Change[], next: string) => {
        handled.push(...changes.map(({ entityId }) => entityId));
        cursor = next;
      };
      const isDone = () => requests >= all.length && handled.length >= expected.length;

      for (const life of [...lives, Number.POSITIVE_INFINITY]) {
        if (isDone()) break;
        restarts += 1;
        let events = 0;
        const { changes } = start();
        const query = { cursor, country, limit, wait: 0 };
        if (byPage) {
          for await (const { data, meta } of changes.followPages(query)) {
            store(data, meta.nextCursor);
            if (++events === life || isDone()) break;
          }
        } else {
          for await (const change of changes.follow(query)) {
            store([change], change.cursor);
            if (++events === life || isDone()) break;
          }
        }
      }
      assert.deepEqual(handled, expected);
      for await (const change of start().changes.read({ cursor, country })) assert.fail(`${change.cursor} is left`);
    }
    await fc.assert(fc.asyncProperty(anyProgram, anySteps(anyImport, 15), check), { numRuns: runs(25, 300) });
    assert.ok(restarts > runs(25, 300));
  });
});
