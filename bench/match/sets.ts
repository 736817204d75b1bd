import { join } from 'node:path';
import { isHeldOut, readRows } from './files.ts';

/** A name that is asked for, and the company that it means. */
export interface Case {
  readonly name: string;
  readonly truth: string;
  /** If it is another one than that of most cases. */
  readonly country?: string;
  readonly heldOut: boolean;
}

export interface PairCase {
  readonly asked: string;
  readonly known: string;
  readonly published: boolean;
  /** The label as one registered company; undefined if the pair is left out. */
  readonly register: boolean | undefined;
  readonly strong: boolean;
  readonly heldOut: boolean;
}

const ORGANISATIONS = new Set(['Company', 'Organization', 'LegalEntity']);

/** name_bench of nomenklatura: pairs of organisations, with the published label and with that of the register view. */
export async function readNameBench(folder: string): Promise<PairCase[]> {
  const key = (row: Readonly<Record<string, string>>, label: string) =>
    [row.schema, row.name1, row.name2, label].join('\t');
  const changes = new Map<string, string>();
  for (const row of await readRows(join(folder, 'name-bench/register-view.csv')))
    changes.set(key(row, row.published ?? ''), row.register_view ?? '');
  const rows = (await readRows(join(folder, 'name-bench/cases.csv'))).filter(({ schema = '' }) =>
    ORGANISATIONS.has(schema),
  );
  return rows.map((row) => {
    const { name1 = '', name2 = '', is_match: label = '' } = row;
    const change = changes.get(key(row, label)) ?? label;
    return {
      asked: name1,
      known: name2,
      published: label === 'true',
      register: change === 'exclude' ? undefined : change === 'true',
      strong: row.quality === 'STRONG',
      heldOut: isHeldOut([name1, name2].sort().join('\t')),
    };
  });
}

export interface GocVendors {
  readonly vendors: readonly string[];
  readonly distractors: readonly string[];
  readonly lexical: readonly Case[];
  readonly others: readonly Case[];
}

/** Names as buyers of the Government of Canada typed them, and the vendors they belong to. */
export async function readGocVendors(folder: string): Promise<GocVendors> {
  const rows = await readRows(join(folder, 'goc-vendors/original_vendor_names.csv'));
  const vendors = new Set<string>();
  const known = new Set<string>();
  const cases = new Map<string, Case & { readonly isLexical: boolean }>();
  for (const { normalized_vendor_name: truth = '', original_vendor_name: name = '' } of rows) {
    vendors.add(truth);
    const [asked, vendor] = [strip(name), strip(truth)];
    for (const text of [name, truth]) known.add(foldPlainly(text)).add(strip(text));
    const id = `${truth}\t${asked}`;
    if (asked !== vendor && !cases.has(id))
      cases.set(id, { name, truth, heldOut: isHeldOut(truth), isLexical: isLexical(asked, vendor) });
  }
  for (const { parent_company: parent = '', company_name: name = '' } of await readRows(
    join(folder, 'goc-vendors/vendor_normalization_data.csv'),
  )) {
    for (const text of [parent, name]) known.add(foldPlainly(text)).add(strip(text));
  }
  const all = await readRows(join(folder, 'goc-vendors/all-vendors.csv'));
  const names = all.map(({ d_vendor_name: name = '' }) => name);
  return {
    vendors: [...vendors],
    distractors: names.filter((name) => !known.has(foldPlainly(name)) && !known.has(strip(name))),
    lexical: [...cases.values()].filter((one) => one.isLexical),
    others: [...cases.values()].filter((one) => !one.isLexical),
  };
}

export interface UkEmployer {
  readonly number: string;
  readonly name: string;
  readonly former: readonly string[];
  readonly postcode: string;
}

/** Employers of the United Kingdom with their number, the name of today, and names that they gave before. */
export async function readUkEmployers(folder: string): Promise<UkEmployer[]> {
  const employers = new Map<string, { number: string; name: string; former: string[]; postcode: string }>();
  for (const row of await readRows(join(folder, 'uk-employers/uk-employers.csv'))) {
    const { employer_name: given = '', company_number: number = '', current_name: name = '', postcode = '' } = row;
    const employer = employers.get(number) ?? { number, name, former: [], postcode };
    employers.set(number, employer);
    if (foldPlainly(given) !== foldPlainly(name) && !employer.former.includes(given)) employer.former.push(given);
  }
  return [...employers.values()];
}

const DROPPED = new Set(
  'ltd limited ltee limitee inc incorporated incorporee llc plc gmbh ag sa sarl bv nv corp corporation co company llp lp ulc srl enr cie compagnie the le la les'.split(
    ' ',
  ),
);

/** The folding that the rivals' figures were measured with. */
function foldPlainly(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, ' ')
    .trim();
}

export function strip(text: string): string {
  const folded = foldPlainly(text);
  return (
    folded
      .split(' ')
      .filter((word) => !DROPPED.has(word))
      .join(' ') || folded
  );
}

/** Whether the names have something in common that can be seen: the others need knowledge, such as takeovers. */
function isLexical(a: string, b: string): boolean {
  const words = new Set(a.split(' ').filter((word) => word.length >= 4));
  if (b.split(' ').some((word) => words.has(word))) return true;
  const [x, y] = [a.replaceAll(' ', ''), b.replaceAll(' ', '')];
  return x.includes(y) || y.includes(x) || levenshteinRatio(a, b) >= 0.7;
}

/** As rapidfuzz defines it: replacing a letter costs as much as removing and inserting one. */
function levenshteinRatio(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let at = 1; at <= b.length; at++) {
      const replaced = (previous[at - 1] as number) + (a[row - 1] === b[at - 1] ? 0 : 2);
      current.push(Math.min(replaced, (previous[at] as number) + 1, (current[at - 1] as number) + 1));
    }
    previous = current;
  }
  return 1 - (previous[b.length] as number) / Math.max(1, a.length + b.length);
}
