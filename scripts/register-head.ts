/** Renders the head of a register's page: publisher, download, import and files, from the register's manifest. */
import type { Register, Source } from '../src/registers/contract.ts';
import { authorities } from '../src/registers/gleif/register.ts';

export function renderHead(register: Register): string {
  const { id, publisher, sourceUrl, licence, updates, files, minimumRows } = register;
  const notLinked = authorities.get(id)?.length === 0 ? '; LEI records are not linked' : '';
  return [
    `- Publisher: [${publisher}](${sourceUrl}), ${updates}; licence: ${licence}${notLinked}`,
    `- Import: \`npx firmament import ${id} ${files[0] ?? ''}\`, at least ${minimumRows.toLocaleString('en-US')} rows${describeFetch(register)}`,
    ...listSources(register),
    '',
  ].join('\n');
}

/** Most files are downloaded by "firmament fetch". */
function describeFetch({ fetch }: Register): string {
  return fetch.kind === 'manual' ? '; download by hand' : '';
}

/** Sources with the same use share a line. The format that most of them have is said once. */
function listSources({ sources }: Register): string[] {
  const [used, refused] = [sources.filter(({ refusal }) => !refusal), sources.filter(({ refusal }) => refusal)];
  const usual = findMostFrequent(used.map(describeFormat));
  const uses = Map.groupBy([...used, ...refused], describeUse);
  return [
    `- Files (${usual}):`,
    ...Array.from(uses, ([use, alike]) => `  - ${use}: ${alike.map((one) => describeSource(one, usual)).join(', ')}`),
  ];
}

/** Its name, and what is unusual about it. */
function describeSource(source: Source<unknown>, usual: string): string {
  const name = `\`${source.name}\``;
  if (source.refusal !== undefined) return name;
  const format = describeFormat(source);
  const missing = source.kind === 'table' ? source.without : undefined;
  const remarks = [...(format === usual ? [] : [format]), ...(missing === undefined ? [] : [`without it, ${missing}`])];
  return remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`;
}

function findMostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, (text) => text).values()];
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? '';
}

function describeFormat(source: Source<unknown>): string {
  if (source.kind === 'tree') return source.format.type.toUpperCase();
  if (source.csv === undefined) return 'workbook';
  const { delimiter, encoding, widths } = source.csv;
  if (widths !== undefined) return `lines of fixed width, ${encoding}`;
  const header = source.headerless === undefined ? '' : ', no header';
  return `CSV, ${delimiter === '\t' ? 'tab' : `\`${delimiter}\``}, ${encoding}${header}`;
}

function describeUse(source: Source<unknown>): string {
  if (source.refusal !== undefined) return `refused (${source.refusal.split('. ', 1)[0]})`;
  if (source.parties !== undefined) return `parties, set \`${source.parties.set}\``;
  if (source.kind === 'tree') return 'companies';
  if (source.joins !== undefined) return `joined by ${writeColumns(source.joins.column)}`;
  if (source.map === undefined) return 'codes';
  return source.gather === undefined
    ? 'companies'
    : `companies, one or more rows each, by ${writeColumns(source.gather.column)}`;
}

function writeColumns(columns: string | readonly string[]): string {
  return [columns]
    .flat()
    .map((column) => `\`${column}\``)
    .join(', ');
}
