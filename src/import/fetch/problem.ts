import { errors } from 'undici';
import { PRIVATE_ADDRESS } from '../../base/system/addresses.ts';
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

export function refusePrivate({ host }: URL): SourceProblem {
  return new SourceProblem(`${host} is an address of a private network, where no publisher is`, 'moved');
}

/** Turns an error of the network or the disk into a problem. Anything else is a bug and passes unchanged. */
export function toProblem(error: unknown, url: URL): unknown {
  if (error instanceof SourceProblem || !(error instanceof Error)) return error;
  const { code = '', syscall } = findCode(error);
  if (code === PRIVATE_ADDRESS) return refusePrivate(url);
  const disk = syscall === 'connect' ? undefined : DISK_ERRORS.find(([codes]) => codes.test(code));
  if (disk !== undefined) return new SourceProblem(disk[1], disk[2], { cause: error });
  const name = /proxy/i.test(error.message) ? 'UND_ERR_PRX_TLS' : code;
  const [, what, advice] = NETWORK_ERRORS.find(([codes]) => codes.test(name)) ?? [];
  if (what === undefined || advice === undefined) return error;
  if (advice === 'certificate') return new SourceProblem(`${url.host} ${what} (${code})`, advice, { cause: error });
  return new SourceProblem(`${url.host} ${what}`, advice, { retry: true, cause: error });
}

type ErrorTable = readonly (readonly [codes: RegExp, what: string, advice: Advice])[];

const DISK_ERRORS: ErrorTable = [
  [/^ENOSPC$/, 'the disk is full', 'disk'],
  [/^EDQUOT$/, 'the disk quota is used up', 'disk'],
  [/^(EROFS|EACCES|EPERM)$/, 'DATA_DIR cannot be written', 'permission'],
];

/** What a host does. The first row that matches counts. */
const NETWORK_ERRORS: ErrorTable = [
  [/^(ENOTFOUND|ENODATA|EAI_)/, 'is a host name that could not be resolved', 'network'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/,
    'has a certificate that cannot be verified',
    'certificate',
  ],
  [/^UND_ERR_PRX_TLS$/, 'cannot be reached through the proxy', 'proxy'],
  [/^(UND_ERR_\w+_TIMEOUT|ETIMEDOUT)$/, 'did not respond in time', 'later'],
  [/^ECONNREFUSED$/, 'refused the connection', 'later'],
  // A firewall of this machine answers a connection with EPERM or EACCES.
  [/^(ENET|EHOST|EADDR|EPERM|EACCES)/, 'cannot be reached', 'later'],
  [/^(HPE_|UND_ERR_(RES|HEADERS_OVERFLOW))/, 'sent an invalid response', 'later'],
  [/^(ECONN|EPIPE|UND_ERR_|ERR_STREAM_PREMATURE_CLOSE)/, 'closed the connection', 'later'],
];

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
