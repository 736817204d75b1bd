import { readdirSync, readFileSync } from 'node:fs';
import { addressOf } from '../parts/markdown.ts';
import { nameCountry } from '../text/country-name.ts';

/**
 * The documentation that the portal shows: which documents there are, in reading order, and their text. This folder also owns the
 * search over them. It does not own how they look (`pages/docs.ts`, `parts/markdown.ts`).
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

const DOCS = new URL('../../../docs/', import.meta.url);

/** Has a page per section as well. */
export const ERRORS = describeFile('Errors', 'errors.md');
export const REGISTERS = describeFile('Registers', 'registers/README.md');
export const REFERENCE: DocsEntry = { title: 'API reference', address: '/docs/reference' };

const START = [
  describeFile('Quick start', 'guides/quick-start.md'),
  describeFile('Authentication', 'guides/authentication.md'),
  describeFile('TypeScript client', 'guides/client.md'),
  describeFile('AI assistants (MCP)', 'guides/mcp.md'),
  describeFile('OpenRefine', 'guides/openrefine.md'),
];

const GUIDES = [
  describeFile('Search and paging', 'guides/paging.md'),
  describeFile('Matching names', 'guides/matching.md'),
  describeFile('Staying in sync', 'guides/sync.md'),
  describeFile('Working with exports', 'guides/exports.md'),
  describeFile('Provenance', 'guides/provenance.md'),
  describeFile('Rate limits and retries', 'guides/limits.md'),
  describeFile('Caching, compression and browsers', 'guides/http.md'),
  describeFile('Versioning', 'guides/versioning.md'),
];

const DATA = [
  describeFile('Fields of a record', 'registers/fields.md'),
  describeFile('Status of a company', 'registers/status.md'),
  REGISTERS,
];

/** The menu. */
export const GROUPS: readonly DocsGroup[] = [
  { title: 'Get started', entries: START },
  { title: 'Guides', entries: GUIDES },
  { title: 'Data', entries: DATA },
  { title: 'Reference', entries: [REFERENCE, ERRORS] },
];

/** The documents that are in the menu, and have one page each. */
export const DOCUMENTS: readonly Document[] = [...START, ...GUIDES, ...DATA];

/** The pages of `docs/registers/` that describe one register, by country. */
export function listRegisterDocuments(): Document[] {
  const shared = DOCUMENTS.map(({ file }) => file);
  return readdirSync(new URL('registers/', DOCS))
    .map((name) => `registers/${name}`)
    .filter((file) => file.endsWith('.md') && !shared.includes(file))
    .map((file) => describeFile(titleRegister(readDocument(file)), file))
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

export function readDocument(file: string): string {
  return readFileSync(new URL(file, DOCS), 'utf8');
}

/** The country, or the name of a register of all countries. The heading is such as "GB: Companies House basic company data". */
function titleRegister(source: string): string {
  const [, code = '', name = ''] = /^# (\w+): (.+)$/m.exec(source) ?? [];
  return code.length === 2 ? nameCountry(code) : name;
}

function describeFile(title: string, file: string): Document {
  return { title, file, address: addressOf(file) };
}
