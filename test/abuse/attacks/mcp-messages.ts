import { readFileSync } from 'node:fs';
import { allowedMessages, complexMessages } from '../../mcp/complex-messages.ts';
import { post } from '../../mcp/connect.ts';
import type { Attack } from '../attack.ts';
import { startTarget, type Target } from '../target.ts';
import { formatWaits, startWitness } from '../witness.ts';

/**
 * Messages of 64 KiB that are very deep or have very many values. The figure is the processor time of the server per message, which
 * a busy machine changes little. A rejected message costs about as much as one that lists the tools, and without the bounds up to
 * ten times as much.
 */
const MESSAGES = 60;
const MAX_SHARE = 3;
/** What a message with long text or many values within the bounds may cost. */
const MAX_ALLOWED_SHARE = 4;
const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

function readProcessorMs({ server: { pid } }: Target): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function measure(target: Target, key: string, message: string): Promise<{ ms: number; status: number }> {
  let status = 0;
  const before = readProcessorMs(target);
  for (let sent = 0; sent < MESSAGES; sent++) {
    const reply = await post(target, message, { authorization: `Bearer ${key}` });
    ({ status } = reply);
    await reply.arrayBuffer();
  }
  return { ms: (readProcessorMs(target) - before) / MESSAGES, status };
}

export const attacks: readonly Attack[] = [
  {
    name: 'MCP messages of 64 KiB with thousands of levels or values',
    async run(engine) {
      await using target = await startTarget(engine, { env: { WORKERS: '1' } });
      const [attacker, witnessed] = [await target.office.createAccount(), await target.office.createAccount()];
      const key = attacker.keys[0] as string;
      // The first messages load and compile code.
      for (const message of [LIST, ...Object.values(complexMessages).slice(0, 1)]) await measure(target, key, message);
      const { ms: plainMs } = await measure(target, key, LIST);
      const costs: string[] = [`list ${plainMs.toFixed(1)} ms`];
      const failed: string[] = [];
      for (const [name, message] of [...Object.entries(complexMessages), ...Object.entries(allowedMessages)]) {
        const isComplex = name in complexMessages;
        const { ms, status } = await measure(target, key, message);
        costs.push(`${name} ${ms.toFixed(1)} ms`);
        const maxMs = plainMs * (isComplex ? MAX_SHARE : MAX_ALLOWED_SHARE);
        if (ms > maxMs || status !== (isComplex ? 400 : 200)) failed.push(`${name}: ${status}, ${ms.toFixed(1)} ms`);
      }
      await using witness = await startWitness(target, witnessed.keys[0]);
      for (const message of Object.values(complexMessages)) await measure(target, key, message);
      const waits = await witness.stop();
      return {
        held: failed.length === 0 && waits.failed === 0,
        figures: `${[...failed, ...costs].join(', ')}; meanwhile ${formatWaits(waits)}`,
      };
    },
  },
];
