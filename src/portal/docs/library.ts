import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { nameCountry } from '../../registry/country-names.ts';

/**
 * The documents in `docs/` and the contract, for readers: the list of documents in reading order, their text and addresses, the search in
 * documents, the description of operations, examples of requests, and code in colours. This folder does not own the pages of the documents.
 */
export interface DocsEntry {
  readonly title: string;
  readonly address: string;
  /** The entries below this entry in the menu. */
  readonly entries?: readonly DocsEntry[];
}

export interface Document extends DocsEntry {
  /** The path of the document in `docs/`. */
  readonly file: string;
}

/** Pages in `docs/registers/` that are not about a single register. */
const SHARED_PAGES = ['fields', 'status', 'legal-forms'];
const DOCS = new URL('../../../docs/', import.meta.url);

/** The document of errors, which also has a page per section. */
export const ERRORS = describeFile('errors.md');
export const REGISTERS = describeFile('registers/README.md');
export const REFERENCE: DocsEntry = { title: 'API reference', address: '/docs/reference' };

const START = listFiles('guides', 'quick-start authentication client mcp openrefine');
const GUIDES = listFiles(
  'guides',
  'paging classifications matching parties sync monitors webhooks exports provenance limits http versioning',
);
const DATA = [...listFiles('registers', SHARED_PAGES.join(' ')), REGISTERS];
/** The documents for operators. All other documents are for users. */
const OPERATORS = listFiles('.', 'operations natural-persons sending-webhooks');

export const GROUPS: readonly { readonly title: string; readonly entries: readonly DocsEntry[] }[] = [
  { title: 'Get started', entries: START },
  { title: 'Guides', entries: GUIDES },
  { title: 'Data', entries: DATA },
  { title: 'Reference', entries: [REFERENCE, ERRORS] },
  { title: 'For operators', entries: OPERATORS },
];

/** The documents in the menu. Each document has one page. */
export const DOCUMENTS: readonly Document[] = [...START, ...GUIDES, ...DATA, ...OPERATORS];

/** The documents in `docs/registers/` that describe one register, in the order of countries. */
export function listRegisterDocuments(): Document[] {
  const shared = DOCUMENTS.map(({ file }) => file);
  return readdirSync(new URL('registers/', DOCS))
    .map((name) => `registers/${name}`)
    .filter((file) => file.endsWith('.md') && !shared.includes(file))
    .map((file) => describeFile(file, titleRegister))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** Reads a document. If its heading starts with the code of a country, the name of the country replaces the code, as in the menu. */
export function readDocument(file: string): string {
  return readFileSync(new URL(file, DOCS), 'utf8').replace(
    /^# ([A-Z]{2})(?=[:,] )/,
    (_, code) => `# ${nameCountry(code).name}`,
  );
}

/** The country of a register, or the name of a register of all countries. A heading is "United Kingdom: Companies House basic company data". */
function titleRegister(source: string): string {
  const [, place = '', name = ''] = /^# (.+?): (.+)$/m.exec(source) ?? [];
  return place === 'GLEIF' ? name : place;
}

function listFiles(folder: string, names: string): Document[] {
  return names.split(' ').map((name) => describeFile(posix.join(folder, `${name}.md`)));
}

/** Describes a document. By default, its title is its first heading. */
function describeFile(file: string, titleOf = (source: string) => /^# (.+)$/m.exec(source)?.[1] ?? ''): Document {
  return { title: titleOf(readDocument(file)), file, address: addressOf(file) };
}

/** The address of a document's page, from the path of the document in `docs/`. */
export function addressOf(file: string): string {
  const { dir, name } = posix.parse(file);
  if (name === 'quick-start') return '/docs';
  if (name === 'README') return `/docs/${dir}`;
  return dir === 'registers' && !SHARED_PAGES.includes(name) ? `/docs/registers/${name}` : `/docs/${name}`;
}

/** The anchor of a heading. It equals the anchor on GitHub, so that links work in both places. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** What a language model needs to use the service, as Markdown in the form that llmstxt.org describes. */
export function writeLlmsText(publicUrl: string): string {
  const link = (title: string, address: string, note = '') =>
    `- [${title}](${publicUrl}${address})${note && `: ${note}`}`;
  const guides = GROUPS.flatMap(({ title, entries }) => [
    `\n## ${title}\n`,
    ...entries.map((entry) => link(entry.title, entry.address)),
  ]);
  return `${[
    '# Firmament\n',
    '> Official company registers as one JSON API: exact search, complete records, and the file and row that each record comes from.\n',
    `The API is at ${publicUrl}/api/v1. Data requests need an API key in the header \`X-API-Key\`. Search with \`GET /api/v1/entities?q=…\`, ` +
      'then retrieve a record with `GET /api/v1/entities/{id}`. Errors are JSON with a `code` and a link to its description.\n',
    '## API\n',
    link('OpenAPI contract', '/api/v1/openapi.json', 'OpenAPI 3.1, with all operations, parameters and errors'),
    link('Plans', '/api/v1/plans', 'limits and prices as JSON, without a key'),
    link('MCP', '/mcp', 'Model Context Protocol for assistants (POST), with the API key as bearer token'),
    ...guides,
  ].join('\n')}\n`;
}
