import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Revision } from './connect.ts';

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
