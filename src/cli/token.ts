import { readDemoAccess } from '../../demo/demo-account.ts';
import { isEmail, readIdentityKeys, signSessionToken } from '../../demo/identity/keys.ts';
import { issuerAt } from '../../demo/identity/provider.ts';
import { systemClock } from '../base/clock.ts';
import { readConfig, readEnvironment } from '../base/config/config.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';

const LIFE_SECONDS = 12 * 3_600;

export const command: Command = {
  name: 'token',
  options: { email: { type: 'string', description: 'E-mail to sign in as.' } },
  help: `
Prints a session token of the demo's identity provider, valid for twelve hours. Send it to account endpoints as
"Authorization: Bearer <token>". The demo must be running ("npm start") with the same DATA_DIR.`,
  examples: [['token --email you@example.com', 'Print a token for this user.']],
  async run({ values }) {
    const { email } = values;
    if (typeof email !== 'string' || !isEmail(email)) throw new UsageError('--email must be an e-mail address.');
    const { dataDir } = readConfig(readEnvironment());
    const keys = readIdentityKeys(dataDir);
    const baseUrl = readDemoAccess(dataDir)?.baseUrl;
    if (keys === undefined || baseUrl === undefined || !(await isRunning(baseUrl))) {
      throw new CommandError(`No demo is running with DATA_DIR ${dataDir}: start it with "npm start" and try again.`);
    }
    const request = { issuer: issuerAt(baseUrl), email, now: systemClock.now(), lifeSeconds: LIFE_SECONDS };
    process.stdout.write(`${await signSessionToken(keys, request)}\n`);
  },
};

async function isRunning(baseUrl: string): Promise<boolean> {
  const address = `${issuerAt(baseUrl)}/.well-known/openid-configuration`;
  const response = await fetch(address, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
  return response?.ok === true;
}
