import type { Attack } from '../attack.ts';
import { openSockets } from '../sockets.ts';
import { startTarget } from '../target.ts';

const ACCOUNTS = 100;
const PER_ACCOUNT = 10;
const PATH = '/api/v1/changes?cursor=now&wait=';

export const attacks: readonly Attack[] = [
  {
    name: `${ACCOUNTS * PER_ACCOUNT} waiting requests of ${ACCOUNTS} free accounts`,
    async run(engine) {
      await using target = await startTarget(engine, { companies: 10 });
      const { office, url } = target;
      using sockets = openSockets(url);
      const [key = ''] = (await office.createAccount({ plan: 'pro' })).keys;
      for (let account = 0; account < ACCOUNTS; account++) {
        const { keys } = await office.createAccount({ plan: 'free' });
        for (let at = 0; at < PER_ACCOUNT; at++) {
          const socket = await sockets.open();
          socket.resume().write(`GET ${PATH}30 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${keys[0]}\r\n\r\n`);
        }
      }
      const times: number[] = [];
      for (let request = 0; request < 3; request++) {
        const startedAt = performance.now();
        const reply = await fetch(`${url}${PATH}3`, { headers: { 'x-api-key': key } });
        await reply.text();
        times.push(reply.status === 200 ? performance.now() - startedAt : 0);
      }
      const seconds = times.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
      return { held: times.every((ms) => ms >= 2_900), figures: `wait=3 of another account took ${seconds} s` };
    },
  },
];
