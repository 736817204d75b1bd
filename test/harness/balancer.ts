import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A load balancer as operators have one: it sends each request to the next machine that is up, asks every machine whether it
 * is ready, and takes one out when that fails or when a reply says that its connection will be closed. It never sends a
 * request twice, so whatever a machine drops is seen.
 */
export interface Balancer {
  readonly url: string;
  /** Sets the machines, by address. A machine is sent nothing before it has said that it is ready. */
  use(urls: readonly string[]): void;
  /** Requests that a machine did not answer, or not to the end. */
  readonly dropped: readonly string[];
  /** Which machine got which path, in order. */
  readonly sent: ReadonlyArray<{ readonly machine: string; readonly path: string }>;
  untilUp(url: string): Promise<void>;
  close(): Promise<void>;
}

interface Machine {
  readonly url: string;
  readonly agent: Agent;
  up: boolean;
  timesOut: number;
}

const PROBE_MS = 100;

export async function startBalancer(): Promise<Balancer> {
  const probes = new Agent({ keepAlive: true, maxSockets: 1 });
  const dropped: string[] = [];
  const sent: Array<{ machine: string; path: string }> = [];
  let machines: Machine[] = [];
  let turn = 0;
  let going = true;

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const up = machines.filter((machine) => machine.up);
    const machine = up[turn++ % up.length];
    const path = incoming.url ?? '/';
    const drop = (what: string) => {
      dropped.push(`${machine?.url ?? 'nobody'} ${path}: ${what}`);
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    };
    if (machine === undefined) {
      drop('no machine is up');
      return;
    }
    sent.push({ machine: machine.url, path });
    const { method, headers } = incoming;
    const { agent } = machine;
    const onward = request(
      machine.url + path,
      { agent, method: method ?? 'GET', headers: withoutHops(headers) },
      (reply) => {
        if (reply.headers.connection === 'close') takeOut(machine);
        outgoing.writeHead(reply.statusCode ?? 0, withoutHops(reply.headers));
        reply.pipe(outgoing);
        reply.on('close', () => {
          if (!reply.complete) drop('the answer broke off');
        });
      },
    );
    onward.on('error', (error) => drop(error.message));
    incoming.pipe(onward);
  }

  async function probe(machine: Machine): Promise<void> {
    while (going && machines.includes(machine)) {
      const { timesOut } = machine;
      if (!(await isReady(probes, machine.url))) takeOut(machine);
      // An answer from before it was taken out says nothing.
      else if (machine.timesOut === timesOut) machine.up = true;
      await sleep(PROBE_MS);
    }
  }

  const server = createServer(forward).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropped,
    sent,
    use(urls) {
      machines = urls.map((url) => ({ url, up: false, timesOut: 0, agent: new Agent({ keepAlive: true }) }));
      for (const machine of machines) void probe(machine);
    },
    async untilUp(url) {
      for (let tries = 0; !machines.some((machine) => machine.url === url && machine.up); tries++) {
        if (tries > 1_500) throw new Error(`${url} does not come up`);
        await sleep(20);
      }
    },
    async close() {
      going = false;
      for (const { agent } of machines) agent.destroy();
      probes.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Nothing is sent there any more, so connections without a request on them are of no use. */
function takeOut(machine: Machine): void {
  machine.up = false;
  machine.timesOut++;
  for (const sockets of Object.values(machine.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** A machine that answers but is about to close is on its way out. */
function isReady(agent: Agent, url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = request(`${url}/api/v1/health/ready`, { agent, timeout: 5_000 }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200 && reply.headers.connection !== 'close');
    });
    asking.on('timeout', () => asking.destroy());
    asking.on('error', () => resolve(false));
    asking.end();
  });
}

function withoutHops(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { connection: _connection, 'keep-alive': _keepAlive, ...others } = headers;
  return others;
}
