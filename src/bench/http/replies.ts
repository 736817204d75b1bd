import { Agent, get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What a server sends for a path; names and values of the headers in turn, without those that Node's server adds itself. */
export interface Reply {
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

const NODES_OWN = new Set(['date', 'connection', 'keep-alive']);
const AT_ONCE = 50;

/** The replies to all paths, which must be 200; with each key in turn, for none may ask too much. */
export async function readReplies(
  port: number,
  paths: readonly string[],
  secrets: readonly string[],
): Promise<Map<string, Reply>> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const replies = new Map<string, Reply>();
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    await Promise.all(
      paths.slice(first, first + AT_ONCE).map(async (path, index) => {
        const secret = secrets[(first + index) % secrets.length] ?? '';
        const response = await request(port, path, secret, agent);
        const body = await buffer(response);
        if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}: ${body}`);
        replies.set(path, { headers: withoutNodesOwn(response.rawHeaders), body });
      }),
    );
  }
  agent.destroy();
  return replies;
}

/** The comparison is worth nothing unless both send the same bodies with as many headers. */
export function checkSame(ours: ReadonlyMap<string, Reply>, bare: ReadonlyMap<string, Reply>): void {
  for (const [path, reply] of ours) {
    const other = bare.get(path);
    const isSame =
      other !== undefined && Buffer.compare(reply.body, other.body) === 0 && namesOf(reply) === namesOf(other);
    if (!isSame) throw new Error(`the bare server answers ${path} with something else`);
  }
}

function request(port: number, path: string, secret: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent, headers: { 'X-API-Key': secret } }, resolve).on('error', reject);
  });
}

function withoutNodesOwn(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !NODES_OWN.has((headers[index - (index % 2)] as string).toLowerCase()));
}

function namesOf({ headers }: Reply): string {
  return headers
    .filter((_, index) => index % 2 === 0)
    .sort()
    .join();
}
