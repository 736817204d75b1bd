import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { nameCountry } from '../../registry/country-names.ts';

/**
 * The documents in `docs/` and the contract, as readers use them: which documents there are, in reading order, their text and addresses, the
 * search over them, what the contract says about an operation, examples of requests, and code in colours. This folder does not own their pages.
 */
export interface DocsEntry {
  readonly title: string;
  readonly address: string;
}

export interface Document extends DocsEntry {
  /** Its path in `docs/`. */
  readonly file: string;
}

export interface DocsGroup {
  readonly title: string;
  readonly entries: readonly DocsEntry[];
}

/** Pages in `docs/registers/` that are not about a single register. */
const SHARED_PAGES = ['fields', 'legal-forms', 'status'];
const DOCS = new URL('../../../docs/', import.meta.url);

/** Has a page per section as well. */
export const ERRORS = describeFile('Errors', 'errors.md');
export const REGISTERS = describeFile('Registers', 'registers/README.md');
export const REFERENCE: DocsEntry = { title: 'API reference', address: '/docs/reference' };

const START = [
  describeFile('Quick start', 'guides/quick-start.md'),
  describeFile('Authentication', 'guides/authentication.md'),
  describeFile('Clients', 'guides/client.md'),
  describeFile('AI assistants (MCP)', 'guides/mcp.md'),
  describeFile('OpenRefine', 'guides/openrefine.md'),
];

const GUIDES = [
  describeFile('Search and paging', 'guides/paging.md'),
  describeFile('Industries and legal forms', 'guides/classifications.md'),
  describeFile('Matching names', 'guides/matching.md'),
  describeFile('Owners and holdings', 'guides/parties.md'),
  describeFile('Staying in sync', 'guides/sync.md'),
  describeFile('Monitors', 'guides/monitors.md'),
  describeFile('Webhooks', 'guides/webhooks.md'),
  describeFile('Working with exports', 'guides/exports.md'),
  describeFile('Provenance', 'guides/provenance.md'),
  describeFile('Rate limits and retries', 'guides/limits.md'),
  describeFile('Caching, compression and browsers', 'guides/http.md'),
  describeFile('Versioning', 'guides/versioning.md'),
];

const DATA = [
  describeFile('Fields of a record', 'registers/fields.md'),
  describeFile('Status of a company', 'registers/status.md'),
  describeFile('Legal forms', 'registers/legal-forms.md'),
  REGISTERS,
];

/** For those who run the service. All other documents are for those who use it. */
const OPERATORS = [
  describeFile('Operations', 'operations.md'),
  describeFile('Natural persons', 'natural-persons.md'),
  describeFile('Sending webhooks', 'sending-webhooks.md'),
];

export const GROUPS: readonly DocsGroup[] = [
  { title: 'Get started', entries: START },
  { title: 'Guides', entries: GUIDES },
  { title: 'Data', entries: DATA },
  { title: 'Reference', entries: [REFERENCE, ERRORS] },
  { title: 'For operators', entries: OPERATORS },
];

/** The documents that are in the menu, and have one page each. */
export const DOCUMENTS: readonly Document[] = [...START, ...GUIDES, ...DATA, ...OPERATORS];

/** The pages of `docs/registers/` that describe one register, by country. */
export function listRegisterDocuments(): Document[] {
  const shared = DOCUMENTS.map(({ file }) => file);
  return readdirSync(new URL('registers/', DOCS))
    .map((name) => `registers/${name}`)
    .filter((file) => file.endsWith('.md') && !shared.includes(file))
    .map((file) => describeFile(titleRegister(readDocument(file)), file))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** A document whose heading starts with the code of a country names the country instead, as the menu does. */
export function readDocument(file: string): string {
  return readFileSync(new URL(file, DOCS), 'utf8').replace(
    /^# ([A-Z]{2})(?=[:,] )/,
    (_, code) => `# ${nameCountry(code).name}`,
  );
}

/** The country, or the name of a register of all countries. The heading is such as "United Kingdom: Companies House basic company data". */
function titleRegister(source: string): string {
  const [, place = '', name = ''] = /^# (.+?): (.+)$/m.exec(source) ?? [];
  return place === 'GLEIF' ? name : place;
}

function describeFile(title: string, file: string): Document {
  return { title, file, address: addressOf(file) };
}

/** The address of the page of a document, by its path in `docs/`. */
export function addressOf(file: string): string {
  const { dir, name } = posix.parse(file);
  if (name === 'quick-start') return '/docs';
  if (name === 'README') return `/docs/${dir}`;
  return dir === 'registers' && !SHARED_PAGES.includes(name) ? `/docs/registers/${name}` : `/docs/${name}`;
}

/** The anchor of a heading, as GitHub forms it, so that links work in both places. */
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
