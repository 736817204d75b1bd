import type { Contract } from '../../src/http/contract.ts';
import { createContractCheck, type Reply } from './contract-check.ts';

/** Speaks HTTP with the service and holds every reply of the API against the contract. */
export interface Client {
  get(path: string, init?: RequestInit): Promise<Reply>;
  request(method: string, path: string, init?: RequestInit): Promise<Reply>;
}

/** `findKey` gives the API key that data endpoints are asked with, unless a request brings credentials of its own. */
export function createClient(url: string, contract: Contract, findKey: () => Promise<string>): Client {
  const check = createContractCheck(contract);
  async function request(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const headers = new Headers(init.headers);
    const isOwn = headers.has('x-api-key') || headers.has('authorization');
    if (!isOwn && DATA_PATHS.test(path)) headers.set('x-api-key', await findKey());
    if (headers.get('x-api-key') === NO_KEY) headers.delete('x-api-key');
    const response = await fetch(url + path, { redirect: 'manual', ...init, headers, method });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parse(response, text) };
    if (path.startsWith('/api/')) check(method, path, reply);
    return reply;
  }
  return { request, get: (path, init) => request('GET', path, init) };
}

const DATA_PATHS = /^\/api\/v1\/(countries|entities)\b/;

/** As `X-API-Key` of a request: send none. */
export const NO_KEY = 'none';

function parse(response: Response, text: string): unknown {
  return response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    ? JSON.parse(text)
    : undefined;
}
