import { describeContract, renderContract } from '../api/contract.ts';
import { operations } from '../api/table.ts';
import { version } from '../base/config/config.ts';
import type { Command } from '../base/terminal/command.ts';

export const command: Command = {
  name: 'openapi',
  help: 'Prints the contract of this version as JSON. It needs no database and no configuration.',
  examples: [['openapi > openapi.json', 'Save the contract, for example to generate a client.']],
  async run() {
    process.stdout.write(printContract());
  },
};

export function printContract(): string {
  return renderContract(describeContract(operations, version));
}
