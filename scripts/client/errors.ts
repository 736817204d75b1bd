import { type Contract, type FoundError, listErrors } from './contract.ts';
import { renderComment } from './schema-types.ts';

/** Names that are shorter than their code. */
const NAMES: Readonly<Record<string, string>> = {
  rate_limit_exceeded: 'RateLimited',
  monthly_quota_exceeded: 'QuotaExceeded',
  concurrency_limit_exceeded: 'ConcurrencyLimited',
  service_unavailable: 'Unavailable',
};

/** One class per error code of the contract. Codes of one kind have a common class. */
export function renderErrors(contract: Contract): string {
  const errors = listErrors(contract).sort((a, b) => rank(a) - rank(b));
  const classes = errors.map((error) => {
    const comment = renderComment([`\`${error.code}\` (${error.status}): ${error.message}`]);
    return `${comment}export class ${nameOf(error)} extends ${parentOf(error)} {}\n`;
  });
  const rows = errors.map((error) => `  ${error.code}: ${nameOf(error)},\n`);
  return `import { ApiError, NotFound, Unauthorized } from '../errors.ts';

${classes.join('\n')}
/** The class of every code. */
export const errorClasses: Readonly<Record<string, typeof ApiError>> = {
${rows.join('')}};
`;
}

function nameOf({ code }: Pick<FoundError, 'code'>): string {
  return NAMES[code] ?? code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function parentOf({ code, status }: FoundError): string {
  if (status === 401) return 'Unauthorized';
  if (code.endsWith('_not_found')) return 'NotFound';
  if (status === 503 && code !== 'service_unavailable') return 'Unavailable';
  return 'ApiError';
}

/** A class is declared before those that extend it. */
function rank(error: FoundError): number {
  return parentOf(error) === 'ApiError' ? 0 : 1;
}
