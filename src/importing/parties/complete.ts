import { basename } from 'node:path';
import { ImportRefused } from '../import-result.ts';

const MAX_SHOWN = 5;
const ADVICE = 'Name all parts of one day in one command, or use --partial to import only these.';

/** Throws if the files are parts of a whole and one of the parts is not there. `pattern` is that of `PartyTotals`. */
export function requireAllParts(paths: readonly string[], pattern: RegExp): void {
  const parts = paths.flatMap((path) => {
    const name = basename(path);
    const { part, of } = pattern.exec(name)?.groups ?? {};
    const nameOf = (number: number) => name.replace(pattern, (text) => text.replace(`${part}`, String(number)));
    return part === undefined ? [] : [{ number: Number(part), of: Number(of), nameOf }];
  });
  const [first] = parts;
  if (first === undefined) return;
  const strange = parts.find(({ nameOf }) => nameOf(1) !== first.nameOf(1));
  if (strange !== undefined) {
    const names = `${first.nameOf(first.number)} and ${strange.nameOf(strange.number)}`;
    throw new ImportRefused(`${names} are not parts of the same file. ${ADVICE}`);
  }
  const given = new Set(parts.map(({ number }) => number));
  const missing = Array.from({ length: first.of }, (_, index) => index + 1).filter((number) => !given.has(number));
  if (missing.length === 0) return;
  const names = missing.slice(0, MAX_SHOWN).map(first.nameOf).join(', ');
  const more = missing.length > MAX_SHOWN ? ` and ${missing.length - MAX_SHOWN} more` : '';
  throw new ImportRefused(`${missing.length} of ${first.of} parts are missing: ${names}${more}. ${ADVICE}`);
}
