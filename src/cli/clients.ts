import { runBridge } from '../../clients/typescript/src/cli/bridge/bridge.ts';
import { systemClock } from '../base/clock.ts';
import { parseRemoteService, readConfig, readEnvironment, version } from '../base/config/config.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { print, printable } from '../base/terminal/table.ts';

/** Commands for programs that use a service. What only one of them needs is loaded when that one runs. */
export const openapi: Command = {
  help: 'Prints the contract of this version as JSON. It needs no database and no configuration.',
  examples: [['openapi > openapi.json', 'Save the contract, for example to generate a client.']],
  async run() {
    const { describeContract, renderContract } = await import('../api/contract.ts');
    const { operations } = await import('../api/table.ts');
    print(renderContract(describeContract(operations, version)));
  },
};

export const mcp: Command = {
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

const LIFE_SECONDS = 12 * 3_600;

export const token: Command = {
  options: { email: { type: 'string', description: 'E-mail to sign in as.' } },
  help: `
Prints a session token of the demo's identity provider, valid for twelve hours. Send it to account endpoints as
"Authorization: Bearer <token>". The demo must be running ("npm start") with the same DATA_DIR.`,
  examples: [['token --email you@example.com', 'Print a token for this user.']],
  async run({ values: { email } }) {
    const { readDemoAccess } = await import('../../demo/demo-account.ts');
    const { isEmail, readIdentityKeys, signSessionToken } = await import('../../demo/identity/keys.ts');
    const { issuerAt } = await import('../../demo/identity/provider.ts');
    if (typeof email !== 'string' || !isEmail(email)) throw new UsageError('--email must be an e-mail address.');
    const { dataDir } = readConfig(readEnvironment());
    const keys = readIdentityKeys(dataDir);
    const issuer = issuerAt(readDemoAccess(dataDir)?.baseUrl ?? '');
    const address = `${issuer}/.well-known/openid-configuration`;
    const response = await fetch(address, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
    if (keys === undefined || response?.ok !== true) {
      throw new CommandError(`No demo is running with DATA_DIR ${dataDir}: start it with "npm start" and try again.`);
    }
    const request = { issuer, email, now: systemClock.now(), lifeSeconds: LIFE_SECONDS };
    print(`${await signSessionToken(keys, request)}\n`);
  },
};
