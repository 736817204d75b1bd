import type { Contract } from '../../src/api/contract.ts';
import { type ContractCheck, createContractCheck, findOperation, type Reply } from './contract-check.ts';

/** What `fetch` takes. `json` is sent as the body. */
interface RequestOptions extends RequestInit {
  readonly json?: unknown;
}

/** Sends HTTP requests to the service and checks every reply of the API against the contract. */
export interface Client {
  get(path: string, options?: RequestOptions): Promise<Reply>;
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
}

/** `findKey` returns the API key for operations that take only a key. A request that has its own credentials keeps them. */
export function createClient(url: string, contract: () => Contract, findKey: () => Promise<string>): Client {
  let check: ContractCheck | undefined;
  async function request(method: string, path: string, { json, ...init }: RequestOptions = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    const sent = json === undefined ? {} : { body: JSON.stringify(json) };
    if (json !== undefined) headers.set('content-type', 'application/json');
    const hasCredentials = headers.has('x-api-key') || headers.has('authorization');
    if (!hasCredentials && isForKeys(contract(), method, path)) headers.set('x-api-key', await findKey());
    if (headers.get('x-api-key') === NO_KEY) headers.delete('x-api-key');
    const response = await fetch(url + path, { redirect: 'manual', ...init, ...sent, headers, method });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parse(response, text) };
    if (path.startsWith('/api/')) {
      check ??= createContractCheck(contract());
      check(method, path, reply);
    }
    return reply;
  }
  return { request, get: (path, options) => request('GET', path, options) };
}

/** Whether the operation takes an API key and no session. */
function isForKeys(contract: Contract, method: string, path: string): boolean {
  const schemes = findOperation(contract, method, path)?.security.flatMap(Object.keys) ?? [];
  return schemes.includes('apiKey') && !schemes.includes('session');
}

/** As the value of `X-API-Key`: send the request without a key. */
export const NO_KEY = 'none';

function parse(response: Response, text: string): unknown {
  return response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    ? JSON.parse(text)
    : undefined;
}
