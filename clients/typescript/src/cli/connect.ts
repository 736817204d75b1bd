import { type Client, createClient } from '../index.ts';
import { readBase, readCredential } from '../request.ts';
import { SetupError, type Terminal } from './command.ts';

const DEFAULT_URL = 'http://127.0.0.1:3000';

/** Longer waits are those of an exhausted quota, which is not waited for. */
const MAX_WAIT_SECONDS = 60;

export function readAddress({ env }: Pick<Terminal, 'env'>): string {
  return env.FIRMAMENT_URL || DEFAULT_URL;
}

/** The address and the key of the environment. */
export function readService(terminal: Pick<Terminal, 'env'>): { url: string; key: string } {
  const url = readAddress(terminal);
  const key = terminal.env.FIRMAMENT_KEY;
  if (!URL.canParse(url)) throw new SetupError('FIRMAMENT_URL is not an address: set it to one such as https://…');
  if (!key) {
    throw new SetupError(
      `There is no API key: create one at ${dashboard(url)}, then run "export FIRMAMENT_KEY=<your key>".`,
    );
  }
  try {
    readCredential('key', key);
    return { url: readBase(url).href.replace(/\/$/, ''), key };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SetupError(`${error.message.replace('"url"', 'FIRMAMENT_URL').replace('"key"', 'FIRMAMENT_KEY')}.`);
  }
}

export function connect(terminal: Terminal): Client {
  const watch: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
    if (response.status === 429 && seconds <= MAX_WAIT_SECONDS) {
      terminal.note(`All requests of this minute are used: waiting ${seconds} seconds.`);
    }
    return response;
  };
  // A person waits for the error: two retries take about two seconds.
  return createClient({ ...readService(terminal), attempts: 3, fetch: watch });
}

/** The page where keys are created. */
export function dashboard(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname.replace(/\/$/, '')}/dashboard`;
}
