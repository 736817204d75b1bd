import type { Contract } from './contract.ts';
import { listErrorClasses } from './error-classes.ts';
import { renderComment } from './schema-types.ts';

/** One class per error code of the contract, and the table of them. */
export function renderErrors(contract: Contract): string {
  const errors = listErrorClasses(contract);
  const classes = errors.map(({ code, status, message, name, parent }) => {
    const comment = renderComment([`\`${code}\` (${status}): ${message}`]);
    return `${comment}export class ${name} extends ${parent} {}\n`;
  });
  const rows = errors.map(({ code, name }) => `  ${code}: ${name},\n`);
  return `import { ApiError, NotFound, Unauthorized } from '../errors.ts';

${classes.join('\n')}
/** The class of every code. */
export const errorClasses: Readonly<Record<string, typeof ApiError>> = {
${rows.join('')}};
`;
}
