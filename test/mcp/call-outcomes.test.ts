import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type from 'typebox';
import { fail } from '../../src/core/errors.ts';
import { findPlan } from '../../src/core/plans.ts';
import type { Caller } from '../../src/core/usage.ts';
import { createToolCall, type Session } from '../../src/mcp/call.ts';
import { createExecutor } from '../../src/operations/execute.ts';

/** Calls a free tool that does this, and returns what was reported. */
async function call(run: () => never | { data: object; text: string }) {
  const input = Type.Object({}, { additionalProperties: false });
  const tool = { name: 'tool', description: '', input, output: input, isFree: true, run } as const;
  const failures: string[] = [];
  const outcomes: string[] = [];
  const decided = { outcome: 'granted', window: {}, quota: {}, receipt: null };
  const meter = { request: ({ decided: decide }: { decided(decision: unknown): void }) => decide(decided) };
  const caller = { accountId: 'a', plan: findPlan('free') };
  const executor = createExecutor({ identify: (_exchange, found) => found(caller as Caller), meter: meter as never });
  const credential = { kind: 'key', secret: 'x', address: '' } as const;
  const session: Session = {
    perform: (operation, given) =>
      executor.perform(operation, { input: given, credential, deadline: performance.now() + 60_000, caller: null }),
    now: () => 0,
    reportFailure: ({ code }) => void failures.push(code),
    count: (_tool, outcome) => void outcomes.push(outcome),
  };
  const { content, isError } = await createToolCall(tool)({}, session);
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
