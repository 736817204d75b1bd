import type { TestKey } from '../api/metered-service.ts';
import { callMessage, post } from '../mcp/connect.ts';

/** A request for data, whichever way it is sent. */
export interface Wanted {
  readonly operation: keyof typeof OPERATIONS;
  readonly given: Readonly<Record<string, string>>;
  readonly isValid: boolean;
}

/** Where each operation of the API is found again: as a tool, and as a page of the portal. */
const OPERATIONS = {
  searchEntities: { path: '/api/v1/entities', tool: 'search_companies' },
  getEntity: { path: '/api/v1/entities', tool: 'get_company' },
  matchEntity: { path: '/api/v1/match', tool: 'match_company' },
  listCountries: { path: '/api/v1/countries', tool: 'list_countries' },
  downloadExport: { path: '/api/v1/exports', tool: undefined },
} as const;

/** Something that turns replies of the executor into bytes. */
export interface Writer {
  readonly name: string;
  readonly credential: 'key' | 'session';
  /** Whether this writer has the operation, with this request. */
  carries(wanted: Wanted, plan: 'free' | 'business'): boolean;
  send(url: string, wanted: Wanted, key: TestKey): Promise<Response>;
}

const get =
  (headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}): Writer['send'] =>
  (url, { operation, given }, key) => {
    const { id, ...parameters } = { ...given, ...more };
    const path = id === undefined ? '' : `/${encodeURIComponent(id)}`;
    const query = new URLSearchParams(parameters);
    return fetch(`${url}${OPERATIONS[operation].path}${path}?${query}`, { headers: { ...key.headers, ...headers } });
  };

const submit = (url: string, key: TestKey, form: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, { method: 'POST', headers: key.session.headers, body: new URLSearchParams(form) });

const isSearch = ({ operation }: Wanted) => operation === 'searchEntities';
const isFile = ({ operation }: Wanted) => operation === 'downloadExport';
const isData = (wanted: Wanted) => !isFile(wanted);

export const WRITERS: readonly Writer[] = [
  {
    name: 'a file',
    credential: 'key',
    carries: isFile,
    send: (url, { given }, key) => fetch(url + given.address, { headers: key.headers }),
  },
  {
    name: 'a file of the portal',
    credential: 'session',
    carries: isFile,
    send: (url, { given }, { session: { headers } }) =>
      fetch(url + given.address?.replace('/api/v1', '/dashboard'), { headers }),
  },
  { name: 'the lane', credential: 'key', carries: isData, send: get({}) },
  { name: 'Fastify', credential: 'key', carries: isData, send: get({ 'if-none-match': '"other"' }) },
  { name: 'a page as CSV', credential: 'key', carries: isSearch, send: get({ accept: 'text/csv' }) },
  {
    name: 'a whole result',
    credential: 'key',
    carries: (wanted, plan) => isSearch(wanted) && wanted.given.page === undefined && plan !== 'free',
    send: get({ accept: 'application/x-ndjson' }, { page: 'all' }),
  },
  {
    name: 'a list of one query',
    credential: 'key',
    carries: ({ operation, isValid }) => operation === 'matchEntity' && isValid,
    send: (url, { given }, key) =>
      fetch(`${url}/api/v1/match`, {
        method: 'POST',
        headers: { ...key.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ queries: [given] }),
      }),
  },
  {
    name: 'a tool',
    credential: 'key',
    carries: isData,
    send(url, { operation, given }, key) {
      const { page, ...texts } = given;
      const call = callMessage(OPERATIONS[operation].tool ?? '', { ...texts, ...(page && { page: Number(page) }) });
      return post({ url }, call, key.headers);
    },
  },
  {
    name: 'a page',
    credential: 'session',
    // Any address that is not of a record is a page that does not exist.
    carries: ({ operation, isValid }) => operation === 'searchEntities' || (operation === 'getEntity' && isValid),
    send(url, { given }, { session: { headers } }) {
      const path = given.id === undefined ? `/explore?${new URLSearchParams(given)}` : `/entities/${given.id}`;
      return fetch(url + path, { headers });
    },
  },
  {
    name: 'a download',
    credential: 'session',
    // The form takes what its page has accepted before.
    carries: (wanted) => isSearch(wanted) && wanted.isValid,
    send: (url, { given }, key) => submit(`${url}/explore/download`, key, { ...given, units: '1' }),
  },
  {
    name: 'a page for trying',
    credential: 'session',
    carries: isData,
    send: (url, { operation, given }, key) => submit(`${url}/docs/try/${operation}`, key, given),
  },
];
