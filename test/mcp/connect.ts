import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { TestService } from '../harness/service.ts';

/** The revisions that clients in use speak: `legacy` starts with `initialize`. */
export const revisions = [{ pin: '2026-07-28' }, 'legacy'] as const;
export type Revision = (typeof revisions)[number];

/** The official client, connected to the service. */
export async function connect(
  { url }: Pick<TestService, 'url'>,
  key: string,
  revision: Revision = { pin: '2026-07-28' },
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: revision } });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

export interface Called {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  readonly data: any;
  readonly isError: boolean;
}

/** Calls a tool that must answer, or with `isError` must not. */
export async function call(client: Client, name: string, given: object = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: { ...given } });
  const [content] = result.content ?? [];
  assert.equal(content?.type, 'text', `${name} returns text`);
  return { text: content.text, data: result.structuredContent, isError: result.isError === true };
}

/** One message without a client, in the revision of 2025, which needs no envelope. */
export function post(
  { url }: Pick<TestService, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function callMessage(name: string, given: unknown, id: string | number = 1): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
export async function readJson(reply: Response): Promise<any> {
  return reply.json();
}

const NAME = 'io.modelcontextprotocol';

/** A message in the revision 2026-07-28, where every message says what its client is. */
export function modernMessage(method: string, params: object = {}, id: unknown = 1) {
  const _meta = {
    [`${NAME}/protocolVersion`]: '2026-07-28',
    [`${NAME}/clientInfo`]: { name: 'test', version: '1' },
    [`${NAME}/clientCapabilities`]: {},
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

/** The headers that repeat a part of such a message. */
export function modernHeaders({ method, params }: ReturnType<typeof modernMessage>): Record<string, string> {
  const { name } = params as { name?: unknown };
  return {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': String(name) }),
  };
}

export interface StdioClient extends Client, AsyncDisposable {
  /** What the process has written to its error output. */
  notes(): string;
}

/** The official client, connected to a process that it starts, as desktop assistants do. */
export async function connectStdio(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  revision: Revision,
): Promise<StdioClient> {
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'pipe' });
  let notes = '';
  transport.stderr?.on('data', (text) => (notes += text));
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: revision } });
  await client.connect(transport);
  return Object.assign(client, { notes: () => notes, [Symbol.asyncDispose]: () => client.close() });
}
