import { type Contract, type FoundError, listErrors } from './contract.ts';

/** Names that are shorter than their code. */
const NAMES: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'RateLimited',
  monthly_quota_exceeded: 'QuotaExceeded',
  concurrency_limit_exceeded: 'ConcurrencyLimited',
  service_unavailable: 'Unavailable',
};

/** The class of an error code, in every language. Codes of one kind have a common class. */
export interface ErrorClass extends FoundError {
  readonly name: string;
  readonly parent: string;
}

/** One class per error code of the contract. A class comes before those that extend it. */
export function listErrorClasses(contract: Contract): ErrorClass[] {
  const classes = listErrors(contract).map((error) => ({ ...error, name: nameOf(error), parent: parentOf(error) }));
  const rank = ({ parent }: ErrorClass) => (parent === 'ApiError' ? 0 : 1);
  return classes.sort((a, b) => rank(a) - rank(b));
}

function nameOf({ code }: FoundError): string {
  return NAMES[code] ?? code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function parentOf({ code, status }: FoundError): string {
  if (status === 401) return 'Unauthorized';
  if (code.endsWith('_not_found')) return 'NotFound';
  if (status === 503 && code !== 'service_unavailable') return 'Unavailable';
  return 'ApiError';
}
