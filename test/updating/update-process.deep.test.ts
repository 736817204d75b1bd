import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runUpdate } from '../../src/import/update/schedule/update-process.ts';

/** Runs this before the command, which never starts. */
function preload(code: string): NodeJS.ProcessEnv {
  const module = `data:text/javascript,${encodeURIComponent(`${code};setInterval(()=>{},1000);await new Promise(()=>{})`)}`;
  return { ...process.env, NODE_OPTIONS: `--import=${module}` };
}

describe('the process of an update', () => {
  test('ends at once if the server stops before it has begun', async () => {
    const log = { info: () => {}, warn: () => {} };
    const run = await runUpdate('lv', { log, signal: AbortSignal.abort(), env: preload('') });
    assert.deepEqual(run, { result: undefined, ending: 'signal SIGTERM' });
  });

  test('gives way to the server', async () => {
    const stopping = new AbortController();
    const log = {
      info(_fields: object | string, text?: string) {
        if (text === 'lowest priority') stopping.abort();
      },
      warn: () => {},
    };
    const report = 'if (getPriority() === 19) console.error(JSON.stringify({msg:"lowest priority"}))';
    const env = preload(`const {getPriority} = await import("node:os");setInterval(()=>{${report}},10)`);
    // Without this, it would run until the time limit of the test.
    await runUpdate('lv', { log, signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(600_000)]), env });
    assert.ok(stopping.signal.aborted);
  });

  test('is killed after ten seconds if it does not stop by itself', async () => {
    const stopping = new AbortController();
    const log = {
      info(_fields: object | string, text?: string) {
        if (text === 'deaf') stopping.abort();
      },
      warn: () => {},
    };
    const env = preload('process.on("SIGTERM",()=>{});console.error(JSON.stringify({msg:"deaf"}))');
    assert.equal((await runUpdate('lv', { log, signal: stopping.signal, env })).ending, 'signal SIGKILL');
  });
});
