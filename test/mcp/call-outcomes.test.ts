import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { fail } from '../../src/core/errors.ts';
import { createToolCall, type Exchange } from '../../src/mcp/call.ts';

const limits = { window: { remaining: 1 }, quota: { remaining: 1 } };
const meter = { take: async () => ({ outcome: 'counted', ...limits }) };

/** Calls a free tool that does this, and returns what was reported. */
async function call(run: () => never | { data: object; text: string }) {
  const input = Type.Object({}, { additionalProperties: false });
  const tool = { name: 'tool', description: '', input, output: input, isFree: true, run } as const;
  const failures: string[] = [];
  const outcomes: string[] = [];
  const exchange = {
    caller: { accountId: 'a' },
    deadline: performance.now() + 60_000,
    now: () => 0,
    reportLimits: () => undefined,
    reportDenial: () => undefined,
    reportFailure: ({ code }: { code: string }) => failures.push(code),
    count: (_tool: string, outcome: string) => outcomes.push(outcome),
  };
  const { content, isError } = await createToolCall(tool, meter as never)({}, exchange as unknown as Exchange);
  return { text: content[0]?.text, isError: isError === true, failures, outcomes };
}

test('an answer, an error of the caller and errors of ours are counted apart, and only ours are reported', async () => {
  const answered = await call(() => ({ data: {}, text: 'done' }));
  assert.deepEqual(answered, { text: 'done', isError: false, failures: [], outcomes: ['answered'] });
  const rejected = await call(() => {
    throw fail('entity_not_found');
  });
  assert.deepEqual([rejected.isError, rejected.failures, rejected.outcomes], [true, [], ['rejected']]);
  for (const [error, code] of [
    [fail('service_unavailable'), 'service_unavailable'],
    [new Error('a secret'), 'internal_error'],
  ] as const) {
    const failed = await call(() => {
      throw error;
    });
    assert.deepEqual([failed.isError, failed.failures, failed.outcomes], [true, [code], ['failed']]);
    assert.match(failed.text ?? '', new RegExp(`^${code}: `));
    assert.doesNotMatch(failed.text ?? '', /secret/);
  }
});
