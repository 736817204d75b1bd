/** Renders the head of a register's page, `docs/registers/<cc>.md`: its files, tables and numbers, from the register's table. */
import type { Register, Source } from '../src/registers/contract.ts';
import { countries } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const HEAD = /(?<=<!-- register: npm run generate:docs -->\n).*?(?=<!-- \/register -->)/s;

/** The page of a register with its current head. */
export function replaceHead(page: string, register: Register): string {
  if (!HEAD.test(page))
    throw new Error(
      `docs/registers/${register.id}.md : add "<!-- register: npm run generate:docs -->" and "<!-- /register -->" below the first paragraph`,
    );
  return page.replace(HEAD, () => renderHead(register));
}

function renderHead(register: Register): string {
  const { country, publisher, sourceUrl, licence, updates, files, minimumRows } = register;
  const facts = [
    ['Country', countries.find(({ code }) => code === country)?.name ?? 'all'],
    ['Publisher', publisher],
    ['Official page', `<${sourceUrl}>`],
    ['Licence', licence],
    ['Published', updates],
    ['Fetched', describeFetch(register)],
    ['Import', `\`npx firmament import ${register.id} ${files[0] ?? ''}\``],
    ['Complete from', `${minimumRows.toLocaleString('en-US')} rows`],
  ];
  const sources = register.sources.map((source) => [`\`${source.name}\``, describeFormat(source), describeUse(source)]);
  return `${writeTable(['', ''], facts)}\n${writeTable(['File or table', 'Format', 'Used as'], sources)}`;
}

function describeFetch({ fetch }: Register): string {
  if (fetch.kind === 'manual') return 'by hand: `firmament fetch` prints the steps';
  return fetch.origin.seenWorking
    ? 'by `firmament fetch`'
    : 'by `firmament fetch`; the address was read in public code and not tried';
}

function describeFormat(source: Source<unknown>): string {
  if (source.kind === 'tree') return source.format.type === 'xml' ? `XML, \`<${source.format.element}>\`` : 'JSON';
  const { csv, headerless, columns } = source;
  const count = source.refusal === undefined ? `, ${columns.length} columns` : '';
  if (csv === undefined) return `workbook${count}`;
  const delimiter = csv.delimiter === '\t' ? 'tab' : `\`${csv.delimiter}\``;
  return `CSV, ${delimiter}, ${csv.encoding}${headerless === undefined ? '' : ', no header'}${count}`;
}

function describeUse(source: Source<unknown>): string {
  if (source.refusal !== undefined) return `refused: ${source.refusal}`;
  if (source.parties !== undefined) return `parties, set \`${source.parties.set}\``;
  if (source.kind === 'tree') return 'companies';
  const missing = source.without === undefined ? '' : `; without it, ${source.without}`;
  if (source.joins !== undefined) return `joined by ${writeColumns(source.joins.column)}${missing}`;
  if (source.map === undefined) return `codes${missing}`;
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
