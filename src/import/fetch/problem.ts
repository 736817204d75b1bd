import { errors } from 'undici';
import type { Register } from '../../registers/contract.ts';
import { ADDRESSES_READ_AT } from '../../registers/fetch-plan.ts';

/** What the operator can do about a problem. `describeProblem` turns it into words. */
type Advice = 'moved' | 'later' | 'network' | 'certificate' | 'proxy' | 'look' | 'disk' | 'permission' | 'continue';

interface Details {
  /** Whether another attempt may succeed within this run. */
  readonly retry?: boolean;
  /** How long the publisher asked to wait. */
  readonly waitMs?: number | undefined;
  readonly cause?: unknown;
}

/** A source could not be fetched. The message states what happened, without a full stop; `advice` is what to do. */
export class SourceProblem extends Error {
  readonly advice: Advice;
  readonly retry: boolean;
  readonly waitMs: number | undefined;

  constructor(message: string, advice: Advice, { retry = false, waitMs, cause }: Details = {}) {
    super(message, { cause });
    this.advice = advice;
    this.retry = retry;
    this.waitMs = waitMs;
  }
}

/** An address in a message. The query is left out, because the query of a temporary address is a secret. */
export function showAddress({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

const DISK_ERRORS: Readonly<Record<string, readonly [message: string, advice: Advice]>> = {
  ENOSPC: ['the disk is full', 'disk'],
  EDQUOT: ['the disk quota is used up', 'disk'],
  EROFS: ['DATA_DIR cannot be written', 'permission'],
  EACCES: ['DATA_DIR cannot be written', 'permission'],
  EPERM: ['DATA_DIR cannot be written', 'permission'],
};

/** Turns an error of the network or the disk into a problem. Anything else is a bug and passes unchanged. */
export function toProblem(error: unknown, url: URL): unknown {
  if (error instanceof SourceProblem || !(error instanceof Error)) return error;
  const { code = '', syscall } = findCode(error);
  const disk = DISK_ERRORS[code];
  if (disk !== undefined && syscall !== 'connect') return new SourceProblem(disk[0], disk[1], { cause: error });
  const host = url.host;
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) {
    return new SourceProblem(`the host name ${url.hostname} could not be resolved`, 'network', {
      retry: true,
      cause: error,
    });
  }
  if (isCertificateError(code)) {
    return new SourceProblem(`${host} has a certificate that cannot be verified (${code})`, 'certificate', {
      cause: error,
    });
  }
  if (code === 'UND_ERR_PRX_TLS' || /proxy/i.test(error.message)) {
    return new SourceProblem(`the proxy did not connect to ${host}`, 'proxy', { retry: true, cause: error });
  }
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new SourceProblem(`${host} did not respond in time`, 'later', { retry: true, cause: error });
  }
  const [, what] = NETWORK_ERRORS.find(([pattern]) => pattern.test(code)) ?? [];
  if (what === undefined) return error;
  return new SourceProblem(`${host} ${what}`, 'later', { retry: true, cause: error });
}

const NETWORK_ERRORS: readonly (readonly [code: RegExp, what: string])[] = [
  [/^ECONNREFUSED$/, 'refused the connection'],
  // A firewall of this machine answers a connection with EPERM or EACCES.
  [/^(ENET|EHOST|EADDR|EPERM|EACCES)/, 'cannot be reached'],
  [/^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/, 'sent an invalid response'],
  [/^(ECONN|EPIPE|UND_ERR_|ERR_STREAM_PREMATURE_CLOSE)/, 'closed the connection'],
];

function isCertificateError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/.test(code);
}

/** The code of the error or of its cause: happy eyeballs wraps one error per address. */
function findCode(error: Error): { code?: string; syscall?: string | undefined } {
  if (error instanceof errors.HTTPParserError) return { code: 'HPE_INVALID' };
  const { code, syscall, errors: all } = error as Error & { code?: unknown; syscall?: string; errors?: unknown[] };
  if (typeof code === 'string') return { code, syscall };
  const inner = error.cause ?? all?.[0];
  return inner instanceof Error ? findCode(inner) : {};
}

/** One sentence: what happened, and what to do. */
export function describeProblem(
  { message, advice }: SourceProblem,
  { sourceUrl, fetch: plan }: Register,
  isOverride: boolean,
): string {
  const address = isOverride
    ? 'correct its address in FETCH_SOURCES'
    : `find its new address on ${sourceUrl} and name it in FETCH_SOURCES`;
  const advices: Readonly<Record<Advice, string>> = {
    moved: address,
    later: 'run the command again later',
    network: 'check the network, DNS and proxy settings of this machine',
    certificate: 'check the clock and the CA certificates of this machine, and do not download the file in another way',
    proxy: 'check HTTPS_PROXY and NO_PROXY',
    look: `open ${sourceUrl} in a browser to see what the publisher offers now`,
    permission: 'let the user that runs this command write there',
    continue: 'run the command again, and it continues where it stopped',
    disk: 'make space in DATA_DIR and run the command again, and it continues where it stopped',
  };
  const isGuess = !isOverride && advice === 'moved' && plan.kind !== 'manual';
  const origin = isGuess ? ` (the address was read in ${plan.readIn} on ${ADDRESSES_READ_AT})` : '';
  const sentence = `${message}${origin}: ${advices[advice]}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
