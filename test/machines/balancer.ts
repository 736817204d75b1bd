import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../harness/until.ts';

/**
 * A load balancer like those in production. It sends each request to the next healthy machine, probes the readiness of
 * every machine, and takes one out of rotation when a probe fails or a reply says `Connection: close`. It never retries a
 * request, so a request that a machine drops is visible.
 */
export interface Balancer {
  readonly url: string;
  /** Sets the machines. A machine gets no request before its first successful probe. */
  use(urls: readonly string[]): void;
  /** Requests whose answer is missing or incomplete. */
  readonly dropped: readonly string[];
  /** Which machine received which path, in order. */
  readonly sent: ReadonlyArray<{ readonly machine: string; readonly path: string }>;
  untilUp(url: string): Promise<void>;
  close(): Promise<void>;
}

interface Machine {
  readonly url: string;
  readonly agent: Agent;
  up: boolean;
  timesRemoved: number;
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
      dropped.push(`${machine?.url ?? 'no machine'} ${path}: ${what}`);
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
          if (!reply.complete) drop('the answer is incomplete');
        });
      },
    );
    onward.on('error', (error) => drop(error.message));
    incoming.pipe(onward);
  }

  async function probe(machine: Machine): Promise<void> {
    while (going && machines.includes(machine)) {
      const { timesRemoved } = machine;
      if (!(await isReady(probes, machine.url))) takeOut(machine);
      // A probe sent before the machine was taken out is outdated.
      else if (machine.timesRemoved === timesRemoved) machine.up = true;
      await sleep(PROBE_MS);
    }
  }

  // It never closes an idle connection, because a caller might use it at this moment.
  const server = createServer({ keepAliveTimeout: 0 }, forward).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropped,
    sent,
    use(urls) {
      machines = urls.map((url) => ({ url, up: false, timesRemoved: 0, agent: new Agent({ keepAlive: true }) }));
      for (const machine of machines) void probe(machine);
    },
    untilUp: (url) => until(`${url} is up`, () => machines.some((machine) => machine.url === url && machine.up)),
    async close() {
      going = false;
      for (const { agent } of machines) agent.destroy();
      probes.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Idle connections are closed too, because the machine gets no more requests. */
function takeOut(machine: Machine): void {
  machine.up = false;
  machine.timesRemoved++;
  for (const sockets of Object.values(machine.agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** A machine that answers with `Connection: close` is shutting down, so it does not count as ready. */
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
