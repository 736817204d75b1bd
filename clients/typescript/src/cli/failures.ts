import {
  ApiError,
  ConnectionFailed,
  CursorExpired,
  DeadlineExceeded,
  EntityNotFound,
  FirmamentError,
  InvalidRequest,
  QuotaExceeded,
  RateLimited,
  Unauthorized,
} from '../index.ts';
import { type Terminal, UsageError } from './command.ts';
import { dashboard, readAddress } from './connect.ts';

export interface Ending {
  readonly exitCode: number;
  readonly message: string;
}

/** What a person can do about an error. The stack is shown for bugs only. */
export function describeEnding(error: unknown, terminal: Pick<Terminal, 'env'>): Ending {
  if (error instanceof UsageError || error instanceof InvalidRequest) return { exitCode: 2, message: error.message };
  return { exitCode: 1, message: describe(error, readAddress(terminal)) };
}

function describe(error: unknown, url: string): string {
  if (error instanceof ConnectionFailed || error instanceof DeadlineExceeded) {
    return `There is no reply from ${url}: is the server running, and is FIRMAMENT_URL its address? (${error.message})`;
  }
  if (error instanceof Unauthorized) {
    return `The server does not accept the key in FIRMAMENT_KEY: check it, or create one at ${dashboard(url)}.`;
  }
  if (error instanceof QuotaExceeded) {
    return `${error.message}${describeWait(error)} Plans: ${dashboard(url)}.`;
  }
  if (error instanceof RateLimited) return `${error.message}${describeWait(error)}`;
  if (error instanceof EntityNotFound) return 'There is no company with this id: search prints the ids.';
  if (error instanceof CursorExpired) {
    return (
      'Changes after this cursor are no longer kept. Run the command with "--cursor oldest" for those that are, or with ' +
      '"--cursor now" for new ones. A cursor file has to be removed first.'
    );
  }
  if (error instanceof ApiError) {
    return error.requestId === null ? error.message : `${error.message} (request ${error.requestId})`;
  }
  if (error instanceof FirmamentError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeWait({ retryAfter }: ApiError): string {
  if (retryAfter === null) return '';
  if (retryAfter <= 120) return ` Try again in ${Math.ceil(retryAfter)} seconds.`;
  return ` The next period starts at ${new Date(Date.now() + retryAfter * 1000).toISOString().slice(0, 16)}Z.`;
}
