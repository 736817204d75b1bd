import { runBridge } from '../../clients/typescript/src/cli/bridge/bridge.ts';
import { parseRemoteService, readEnvironment } from '../base/config/config.ts';
import type { Command } from '../base/terminal/command.ts';
import { printable } from '../base/terminal/printable.ts';

export const command: Command = {
  name: 'mcp',
  help: `
Passes messages of the Model Context Protocol between its input and output and the service at FIRMAMENT_URL, with the API key in
FIRMAMENT_KEY. A desktop assistant starts it; see docs/guides/mcp.md for its settings. It ends with its input.

Users of a service that you host do not need this repository: "npx @firmament/client mcp" is the same.`,
  examples: [['mcp', 'What the settings of the assistant have to run.']],
  async run({ signal }) {
    const service = parseRemoteService(readEnvironment());
    const log = (text: string) => void process.stderr.write(`${printable(text)}\n`);
    log(`Passing messages to ${service.url}`);
    await runBridge({ ...service, input: process.stdin, output: process.stdout, log, signal });
  },
};
