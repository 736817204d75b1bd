import type { Contract } from '../../src/http/contract.ts';
import { createContractCheck, type Reply } from './contract-check.ts';

/** Speaks HTTP with the service and holds every reply of the API against the contract. */
export interface Client {
  get(path: string, init?: RequestInit): Promise<Reply>;
  request(method: string, path: string, init?: RequestInit): Promise<Reply>;
}

export function createClient(url: string, contract: Contract): Client {
  const check = createContractCheck(contract);
  async function request(method: string, path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(url + path, { redirect: 'manual', ...init, method });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parse(response, text) };
    if (path.startsWith('/api/')) check(method, path, reply);
    return reply;
  }
  return { request, get: (path, init) => request('GET', path, init) };
}

function parse(response: Response, text: string): unknown {
  return response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    ? JSON.parse(text)
    : undefined;
}
