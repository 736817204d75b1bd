import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileAddress, writeExport } from '../../harness/exports.ts';
import { until } from '../../harness/until.ts';
import type { Attack } from '../attack.ts';
import { openSockets, type Sockets } from '../sockets.ts';
import { startTarget } from '../target.ts';
import { readThroughTinyWindow } from '../tiny-window.ts';
import { formatWaits, startWitness } from '../witness.ts';

const ALL = '/api/v1/entities?page=all';
const ROUNDS = 8;
const READ_BYTES = 20_000;
const DOWNLOADS = 1_000;

const writeGet = (path: string, key: string | undefined, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${key}\r\n${more}\r\n`;

function writeForm(cookie: string, url: string): string {
  const body = 'q=&units=10';
  const headers = [`Cookie: ${cookie}`, `Origin: ${url}`, 'Content-Type: application/x-www-form-urlencoded'];
  return `POST /explore/download HTTP/1.1\r\nHost: ${new URL(url).host}\r\n${headers.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** The rows of a CSV file that has arrived in part. */
const countRows = (reply: string) => reply.match(/^[0-9a-f]{8}-[0-9a-f-]{27},/gm)?.length ?? 0;

/** Opens a whole result and reads a little of it once per second. */
async function readSlowly(sockets: Sockets, key: string | undefined): Promise<void> {
  const socket = await sockets.open();
  socket.pause().write(writeGet(ALL, key, 'Accept: text/csv\r\n'));
  const reading = setInterval(() => socket.read(2_000), 1_000);
  socket.once('close', () => clearInterval(reading));
}

/** Requests a whole result as an obedient client does, and returns how many seconds it was told to wait before it got one. */
async function getWhole(url: string, key: string | undefined): Promise<number> {
  for (let waited = 0; ; ) {
    const headers = { 'x-api-key': key ?? '', accept: 'text/csv', connection: 'close' };
    const reply = await fetch(url + ALL, { headers });
    await reply.text().catch(() => undefined);
    if (reply.status === 200 || waited > 120) return waited;
    const seconds = Number(reply.headers.get('retry-after') ?? 1);
    waited += seconds;
    await sleep(seconds * 1_000);
  }
}

function openDownload(url: string, key: string | undefined): Promise<number> {
  return new Promise((resolve) => {
    const sending = request(url + fileAddress(), { headers: { 'x-api-key': key }, agent: false }, (response) => {
      response
        .resume()
        .on('close', () => resolve(response.statusCode ?? 0))
        .on('error', () => undefined);
    });
    sending.on('error', () => resolve(0)).end();
  });
}

export const attacks: readonly Attack[] = [
  {
    name: 'rows read through a tiny window and a reset',
    async run(engine) {
      await using target = await startTarget(engine, { companies: 3_000 });
      const { office, url } = target;
      const paying = await office.createAccount({ plan: 'pro' });
      const free = await office.createAccount({ plan: 'free' });
      const rows = [0, 0];
      for (let round = 0; round < ROUNDS; round++) {
        const whole = writeGet(ALL, paying.keys[0], 'Accept: text/csv\r\n');
        rows[0] = (rows[0] ?? 0) + countRows(await readThroughTinyWindow(url, whole, READ_BYTES));
        rows[1] = (rows[1] ?? 0) + countRows(await readThroughTinyWindow(url, writeForm(free.cookie, url), READ_BYTES));
      }
      const used = [await office.settle(paying.accountId), await office.settle(free.accountId)].map(
        ({ quota }) => quota,
      );
      const held =
        used.every((units, at) => units >= ROUNDS && units * 100 >= (rows[at] ?? 0)) &&
        rows.every((count) => count > 0);
      return { held, figures: `${rows.join(' and ')} rows read (API, portal), ${used.join(' and ')} units charged` };
    },
  },
  {
    name: 'slow readers of whole results by SQL in four threads',
    engines: ['postgres'],
    async run(engine) {
      const env = { SEARCH_ENGINE: 'postgres', WORKERS: '4' };
      await using target = await startTarget(engine, { companies: 40_000, env });
      const { office, url } = target;
      const slow = await office.createAccount({ plan: 'business' });
      const other = await office.createAccount({ plan: 'business' });
      using sockets = openSockets(url);
      for (let reader = 0; reader < 16; reader++) await readSlowly(sockets, slow.keys[0]);
      const seconds = await getWhole(url, other.keys[0]);
      await until('the slow readers are disconnected', () => sockets.countOpen() <= 12, 120_000);
      return { held: seconds <= 60, figures: `another account had to wait for ${seconds} s` };
    },
  },
  {
    name: 'slow readers of whole results by eight accounts with two each',
    async run(engine) {
      await using target = await startTarget(engine, { companies: 40_000 });
      const { office, url } = target;
      using sockets = openSockets(url);
      for (let account = 0; account < 8; account++) {
        const { keys } = await office.createAccount({ plan: 'pro' });
        await readSlowly(sockets, keys[0]);
        await readSlowly(sockets, keys[0]);
      }
      const other = await office.createAccount({ plan: 'pro' });
      const seconds = await getWhole(url, other.keys[0]);
      // A busy machine may miss the deadline once. Without a slot, it would be five seconds or more.
      return { held: seconds < 5, figures: `another account had to wait for ${seconds} s` };
    },
  },
  {
    name: `${DOWNLOADS} parallel downloads of an export by one account`,
    async run(engine) {
      await using target = await startTarget(engine);
      await writeExport(`${target.database.dataDir}/exports`, { countries: { GB: Buffer.alloc(4 * 1024 * 1024) } });
      const { office, url } = target;
      const greedy = await office.createAccount();
      const [key] = (await office.createAccount()).keys;
      await using witness = await startWitness(target, key);
      const statuses = await Promise.all(Array.from({ length: DOWNLOADS }, () => openDownload(url, greedy.keys[0])));
      const waits = await witness.stop();
      const sent = statuses.filter((status) => status === 200).length;
      const refused = statuses.filter((status) => status === 429).length;
      // On a busy machine, some do not meet the deadline of a data request.
      const late = statuses.filter((status) => status === 503).length;
      const { quota } = await office.settle(greedy.accountId);
      return {
        held: waits.failed === 0 && sent + refused + late === DOWNLOADS && refused > 0 && quota === sent,
        figures: `${sent} sent, ${refused} refused, ${late} late, ${quota} charged, ${formatWaits(waits)}`,
      };
    },
  },
];
