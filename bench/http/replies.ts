import { Agent, get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A server's reply to a path. Header names and values alternate; headers that Node's server adds itself are left out. */
export interface Reply {
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

const ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive']);
const CONNECTIONS = 50;

/** Reads the reply to every path, which must be 200. Keys are used in turn, so that none exceeds its rate limit. */
export async function readReplies(
  port: number,
  paths: readonly string[],
  secrets: readonly string[],
): Promise<Map<string, Reply>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const replies = new Map<string, Reply>();
  for (let first = 0; first < paths.length; first += CONNECTIONS) {
    await Promise.all(
      paths.slice(first, first + CONNECTIONS).map(async (path, index) => {
        const secret = secrets[(first + index) % secrets.length] ?? '';
        const response = await request(port, path, secret, agent);
        const body = await buffer(response);
        if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${body}`);
        replies.set(path, { headers: withoutAddedByNode(response.rawHeaders), body });
      }),
    );
  }
  agent.destroy();
  return replies;
}

/** Checks that both servers send the same bodies and header names. Otherwise the comparison would be meaningless. */
export function checkSame(ours: ReadonlyMap<string, Reply>, bare: ReadonlyMap<string, Reply>): void {
  for (const [path, reply] of ours) {
    const other = bare.get(path);
    const isSame =
      other !== undefined && Buffer.compare(reply.body, other.body) === 0 && namesOf(reply) === namesOf(other);
    if (!isSame) throw new Error(`the bare server gives a different reply to ${path}`);
  }
}

function request(port: number, path: string, secret: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent, headers: { 'X-API-Key': secret } }, resolve).on('error', reject);
  });
}

function withoutAddedByNode(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !ADDED_BY_NODE.has((headers[index - (index % 2)] as string).toLowerCase()));
}

function namesOf({ headers }: Reply): string {
  return headers
    .filter((_, index) => index % 2 === 0)
    .sort()
    .join();
}
