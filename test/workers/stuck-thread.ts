import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Office } from '../harness/keys.ts';
import { fire, of, SEARCH, tally } from '../harness/load.ts';
import type { RunningServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

interface Started {
  readonly server: RunningServer;
  readonly office: Office;
  readonly loop: (worker: number) => void;
}

const STUCK = 2;

/** Waits ten seconds. */
export function testStuckThread(use: () => Started): void {
  test('a serving thread in an endless loop is replaced, its connections are closed, and the log says where it was', async () => {
    const { server, office, loop } = use();
    const { keys } = await office.createAccount();
    const ask = (count: number) => fire(count, { urls: [server.url], paths: [SEARCH], keys, callers: count });
    const readLines = (text: string): Record<string, unknown>[] =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));

    loop(STUCK);
    // Of 20 connections some reach the stuck thread. They end when it does; all others are answered.
    const answers = await ask(20);
    assert.ok(of(200, answers).length > 0, 'the other threads did not serve');
    assert.deepEqual(
      Object.keys(tally(answers)).filter((kind) => !['200', '0', '503 service_unavailable'].includes(kind)),
      [],
    );
    const isReplaced = ({ err }: Record<string, unknown>) => JSON.stringify(err ?? '').includes('has not responded');
    const replaced = () => readLines(server.output()).filter(isReplaced);
    await until('the replacement is logged', () => replaced().length === 1);
    const [line] = replaced();
    assert.equal(line?.worker, STUCK);
    const since = () => {
      const lines = readLines(server.output());
      return lines.slice(lines.findIndex(isReplaced));
    };
    await until('the new thread listens', () =>
      since().some(({ worker, msg }) => worker === STUCK && String(msg).startsWith('Server listening')),
    );
    await until('all threads serve', async () => of(200, await ask(20)).length === 20);
  });
}
