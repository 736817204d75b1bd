/** Renders the head of a register's page, `docs/registers/<cc>.md`: its files, tables and numbers, from the register's table. */
import type { Register, Source } from '../src/registers/contract.ts';
import { countries } from '../src/registers/index.ts';

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
  const lines = [
    `Country: ${countries.find(({ code }) => code === country)?.name ?? 'all'}`,
    `Publisher: [${publisher}](${sourceUrl}), ${updates}; licence: ${licence}`,
    `Download: ${describeFetch(register)}`,
    `Import: \`npx firmament import ${register.id} ${files[0] ?? ''}\`, at least ${minimumRows.toLocaleString('en-US')} rows`,
    'Files and tables:',
    ...listSources(register).map((line) => `  - ${line}`),
  ];
  return `${lines.map((line) => (line.startsWith(' ') ? line : `- ${line}`)).join('\n')}\n`;
}

/** Sources with the same use share a line. */
function listSources({ sources }: Register): string[] {
  const uses = Map.groupBy(sources, describeUse);
  return Array.from(uses, ([use, alike]) => `${alike.map(describeFormat).join(', ')}: ${use}`);
}

function describeFetch({ fetch }: Register): string {
  if (fetch.kind === 'manual') return 'by hand; `firmament fetch` prints the steps';
  return '`firmament fetch`, untried';
}

function describeFormat(source: Source<unknown>): string {
  const name = `\`${source.name}\``;
  if (source.kind === 'tree') return name;
  const { csv, headerless, columns } = source;
  const count = source.refusal === undefined ? `, ${columns.length} columns` : '';
  if (csv === undefined) return `${name} (workbook${count})`;
  const delimiter = csv.delimiter === '\t' ? 'tab' : `\`${csv.delimiter}\``;
  return `${name} (CSV, ${delimiter}, ${csv.encoding}${headerless === undefined ? '' : ', no header'}${count})`;
}

function describeUse(source: Source<unknown>): string {
  if (source.refusal !== undefined) return `refused: ${source.refusal.split('. ', 1)[0]}`;
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
