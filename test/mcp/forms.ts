import { request } from 'node:http';
import type { Tool } from '../../src/mcp/tool.ts';
import { modernHeaders, modernMessage } from './connect.ts';

/** UUIDv5 of GB/gb/00000001. */
export const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

type Arguments = Readonly<Record<string, unknown>>;

/** Values of all arguments of every tool. `alone` has arguments that exclude each other. A new tool needs an entry. */
export const samples: Readonly<Record<string, { readonly given: Arguments; readonly alone?: readonly Arguments[] }>> = {
  search_companies: {
    given: {
      q: 'alpha',
      country: 'GB',
      register: 'gb',
      status: 'active',
      legalForm: 'Private Limited Company',
      sort: '-updatedAt',
      page: 1,
    },
    alone: [
      { activity: '62012' },
      { legalFormCode: 'AS' },
      { isic: '62' },
      { elf: 'H0PO' },
      { legalFormClass: 'limited_company' },
      { registeredFrom: '2020-01-31' },
      { registeredTo: '2020-01-31' },
    ],
  },
  match_company: { given: { name: 'alpha ltd', country: 'GB', registrationNumber: '00000001', city: 'London' } },
  get_company: { given: { id: ALPHA, sourceData: true } },
  list_countries: { given: {} },
  recent_changes: {
    given: { since: '2020-01-01', country: 'GB', register: 'gb', type: 'loaded' },
    alone: [{ companyId: ALPHA }, { cursor: 'not a cursor' }],
  },
  check_registration_number: { given: { number: '00000001', country: 'GB' } },
  verify_provenance: { given: { id: ALPHA } },
};

/** The same arguments in other spellings, which must give the same result. */
export function respell(tool: Tool, given: Arguments): Arguments[] {
  const mixed = (text: string) => text.replace(/[a-f]/g, (letter, at) => (at % 2 ? letter.toUpperCase() : letter));
  return Object.entries(given).flatMap(([name, value]) => {
    const isId = (tool.input.properties[name] as { format?: string } | undefined)?.format === 'uuid';
    if (isId) return [String(value).toUpperCase(), mixed(String(value))].map((id) => ({ ...given, [name]: id }));
    return name === 'country'
      ? [
          { ...given, country: 'gb' },
          { ...given, country: 'Gb' },
        ]
      : [];
  });
}

/** Every message in every revision, by name. */
export const revisionForms: Readonly<Record<string, (params: object, id?: unknown) => Sent>> = {
  '2025, without a header': (params, id = 1) => ({ body: message(params, id), headers: {} }),
  '2025-11-25': (params, id = 1) => ({ body: message(params, id), headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
  '2025-06-18': (params, id = 1) => ({ body: message(params, id), headers: { 'mcp-protocol-version': '2025-06-18' } }),
  '2026-07-28': (params, id = 1) => {
    const body = modernMessage('tools/call', params, id);
    return { body, headers: modernHeaders(body) };
  },
};

/** Headers that mean the same, in the spellings that clients and proxies use. */
export const headerForms: readonly ((key: string) => Readonly<Record<string, string>>)[] = [
  (key) => ({ Authorization: `Bearer ${key}` }),
  (key) => ({ AUTHORIZATION: `bearer  ${key}` }),
  (key) => ({ 'X-API-Key': key }),
  (key) => ({ 'x-api-key': key, Authorization: 'Basic eDp5' }),
  (key) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json; charset=utf-8' }),
  (key) => ({ 'X-Api-Key': key, 'content-type': 'Application/JSON;charset="UTF-8"' }),
  (key) => ({ 'X-Api-Key': key, Accept: 'text/event-stream;q=0.5, application/json' }),
  (key) => ({ 'X-Api-Key': key, 'Accept-Encoding': 'identity', Connection: 'close' }),
];

export interface Sent {
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends header names as they are spelled, which `fetch` does not. Later headers replace earlier ones of the same name. */
export function send(url: string, body: string, ...headers: readonly Readonly<Record<string, string>>[]) {
  const all = new Map<string, [string, string]>();
  const defaults = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const [name, value] of [defaults, ...headers].flatMap((each) => Object.entries(each))) {
    all.set(name.toLowerCase(), [name, value]);
  }
  return new Promise<Received>((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method: 'POST', headers: Object.fromEntries(all.values()) }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('end', () => {
        const { statusCode: status = 0, headers: received } = reply;
        resolve({ status, type: received['content-type'] ?? '', text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function message(params: object, id: unknown): object {
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), method: 'tools/call', params };
}
