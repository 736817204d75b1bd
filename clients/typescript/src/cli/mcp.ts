import { runBridge } from './bridge/bridge.ts';
import type { Command } from './command.ts';
import { readService } from './connect.ts';
import { printable } from './text.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Give an assistant access to the service (Model Context Protocol).',
  options: {},
  help:
    'Runs as long as the assistant that started it: it passes messages of the Model Context Protocol between its input and output and ' +
    'the service. Add it to the settings of a desktop assistant instead of running it by hand.\n\n' +
    'The assistant can search and read companies, list changes, check registration numbers, and verify where a record comes from. A call ' +
    'that returns data costs one request of your quota.',
  examples: [['mcp', 'What the settings of the assistant have to run.']],
  async run(_invocation, terminal) {
    const service = readService(terminal);
    const log = (text: string) => terminal.note(printable(text));
    log(`Passing messages to ${service.url}`);
    await runBridge({ ...service, input: process.stdin, output: process.stdout, log, signal: terminal.signal });
  },
};
