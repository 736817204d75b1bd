import type { Command } from './command.ts';

/** Loaded on demand. To add a command, write its file and add it here. */
export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  search: async () => (await import('./search.ts')).searchCommand,
  get: async () => (await import('./get.ts')).getCommand,
  changes: async () => (await import('./changes.ts')).changesCommand,
  mcp: async () => (await import('./mcp.ts')).mcpCommand,
};
