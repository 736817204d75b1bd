import { fail } from '../core/errors.ts';
import { isUuid } from '../core/ids.ts';
import type { CompanyReference } from '../registry/find-ids.ts';

/** Two letters, then a separator, then the number. */
const NUMBERED = /^"?([a-z]{2})"?\s*[,;\t ]\s*"?([^",;\t]{1,100}?)"?$/i;

/**
 * Reads a pasted list of companies, one per line: an id, or country and registration number with a comma, semicolon, tab or blank between
 * them. Empty lines, and a first line that is a heading, are skipped. Throws `invalid_request` with the first line that it cannot read.
 */
export function readPastedCompanies(text: string, most: number): CompanyReference[] {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const filled = lines.filter(({ line }) => line !== '');
  const [first] = filled;
  const rows = first !== undefined && HEADING.test(first.line) ? filled.slice(1) : filled;
  if (rows.length > most) {
    const message = `The list has ${rows.length} companies, and a monitor has at most ${most}: create several monitors.`;
    throw fail('invalid_request', { message });
  }
  return rows.map(({ line, number }) => {
    if (isUuid(line)) return { id: line };
    const [, countryCode, registrationNumber] = NUMBERED.exec(line) ?? [];
    if (countryCode !== undefined && registrationNumber !== undefined) return { countryCode, registrationNumber };
    const message = `Line ${number} is neither the id of a company nor a country and a registration number, such as "GB,00445790".`;
    throw fail('invalid_request', { message });
  });
}

const HEADING = /^"?(?:id|country|country ?code)\b/i;
