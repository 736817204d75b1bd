import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { openSockets } from '../sockets.ts';
import { readHoldings, startTarget, type Target } from '../target.ts';
import { formatWaits, startWitness } from '../witness.ts';

const CLIENTS = 300;
/** The server opens a few descriptors itself, such as database connections. */
const MAX_LEFT_DESCRIPTORS = 10;
/** A request has to be complete within 15 s. A busy machine notices it later. */
const PATIENCE_MS = 120_000;
const DRIP_MS = 300;
const REQUEST = 'GET /api/v1/plans HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

async function attackSlowly(target: Target) {
  const [key] = (await target.office.createAccount()).keys;
  const before = readHoldings(target);
  await using witness = await startWitness(target, key);
  using sockets = openSockets(target.url);
  const dripping: Socket[] = [];
  for (let count = 0; count < CLIENTS; count++) {
    dripping.push(await sockets.open());
    const neverReading = await sockets.open();
    neverReading.pause().write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(20));
  }
  const countOpen = () => dripping.filter(({ destroyed }) => !destroyed).length;
  const startedAt = performance.now();
  for (let at = 0; countOpen() > 0 && performance.now() - startedAt < PATIENCE_MS; at++) {
    for (const socket of dripping) socket.write(REQUEST[at % (REQUEST.length - 1)] ?? '');
    await sleep(DRIP_MS);
  }
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const during = readHoldings(target);
  const left = countOpen();
  sockets[Symbol.dispose]();
  await until('the server has closed its side', () => {
    return readHoldings(target).descriptors <= before.descriptors + MAX_LEFT_DESCRIPTORS;
  });
  return { before, during, left, seconds, waits: await witness.stop() };
}

export const attacks: readonly Attack[] = [
  {
    name: `${2 * CLIENTS} clients that send one byte at a time or never read`,
    async run(engine) {
      await using target = await startTarget(engine);
      const { before, during, left, seconds, waits } = await attackSlowly(target);
      const memory = `memory ${before.megabytes} to ${during.megabytes} MB`;
      return {
        held: waits.failed === 0 && left === 0 && waits.p99 < 500 && during.megabytes < before.megabytes + 300,
        figures: `${left} of ${CLIENTS} slow requests still open after ${seconds} s, ${memory}, ${formatWaits(waits)}`,
      };
    },
  },
];
