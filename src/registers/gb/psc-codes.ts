/**
 * The codes of persons with significant control. Their texts are those of Companies House (api-enumerations, Open Government Licence
 * v3.0); what a code means here is decided in the same two tables.
 */
import { readFileSync } from 'node:fs';
import type { MapContext, MappedParty } from '../contract.ts';

type Interest = MappedParty['interests'][number];
type Absence = NonNullable<MappedParty['absence']>;

export const NATURES: ReadonlyMap<string, Interest> = new Map(
  readTable('psc-natures.tsv').map(([code = '', type, min, max, heldAs]) => [
    code,
    {
      type: type as Interest['type'],
      share: min ? { min: Number(min), max: Number(max) } : null,
      ...(heldAs && { heldAs: heldAs as Interest['heldAs'] }),
    },
  ]),
);

export const STATEMENTS: ReadonlyMap<string, Absence['reason']> = new Map(
  readTable('psc-statements.tsv').map(([code = '', reason]) => [code, reason as Absence['reason']]),
);

/**
 * The lines without the comments above them, each as its cells. The cells that are used are ASCII. Read as UTF-8, one dash in another cell
 * makes V8 keep them with two bytes per character, and then also the codes of records that are looked up here, and their rows.
 */
function readTable(name: string): string[][] {
  const lines = readFileSync(new URL(name, import.meta.url), 'latin1')
    .trimEnd()
    .split('\n');
  return lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t'));
}

/** One interest for each nature of control, in the order of the source. */
export function readInterests(codes: readonly string[], context: Pick<MapContext<null>, 'report'>): Interest[] {
  return codes.map((code) => {
    const interest = NATURES.get(code);
    if (interest === undefined) context.report('natures_of_control', code, 'unknown nature of control');
    return interest ?? { type: 'other', share: null };
  });
}

export function readStatement(code: string, context: Pick<MapContext<null>, 'report'>): Absence {
  // The official code is misspelt.
  const reason = STATEMENTS.get(code.replace('-significant-', '-signficant-')) ?? STATEMENTS.get(code);
  if (reason === undefined) context.report('statement', code, 'unknown statement');
  return { reason: reason ?? 'statement', text: code };
}
