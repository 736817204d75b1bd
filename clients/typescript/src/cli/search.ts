import type { Client, EntitySummary, SearchQuery } from '../index.ts';
import { type Command, FILTERS, JSON_OPTION, readLimit } from './command.ts';
import { connect } from './connect.ts';
import { createTable } from './table.ts';
import { printableJson } from './text.ts';

const DEFAULT_LIMIT = 25;
const MAX_PAGE_SIZE = 100;

const COLUMNS = [
  { title: 'NAME', canCut: true },
  { title: 'COUNTRY' },
  { title: 'NUMBER' },
  { title: 'STATUS' },
  { title: 'CITY', canCut: true },
  { title: 'ID' },
];
const OMIT = ['CITY', 'NUMBER', 'STATUS', 'COUNTRY', 'ID'];

export const searchCommand: Command = {
  name: 'search',
  summary: 'Find companies by words of their name, or by number.',
  arguments: '[text…]',
  options: {
    ...FILTERS,
    jurisdiction: { type: 'string', description: 'Only formed under the law of this state or country, such as US-NY.' },
    status: { type: 'string', description: 'Only this status, such as active or dissolved.' },
    'legal-form': { type: 'string', description: 'Only this legal form, exactly as in a record.' },
    'legal-form-code': { type: 'string', description: 'Only this code of a legal form, such as AS.' },
    elf: { type: 'string', description: 'Only this legal form: ELF codes, such as H0PO.' },
    'legal-form-class': { type: 'string', description: 'Only this class of legal forms, such as limited_company.' },
    activity: { type: 'string', description: 'Only this activity: its code or label, exactly as in a record.' },
    isic: { type: 'string', description: 'Only this industry: codes of ISIC Rev. 4, such as J, 62 or 6201.' },
    'registered-from': {
      type: 'string',
      description: 'Only companies registered on this day or later, such as 2024-01-31.',
    },
    'registered-to': { type: 'string', description: 'Only companies registered on this day or earlier.' },
    sort: {
      type: 'string',
      description:
        'relevance, name, -registeredAt (newest first) or -updatedAt (last changed first). Default: relevance, or name without text',
    },
    fragment: {
      type: 'boolean',
      description: 'Find the text as it is, as an exact fragment, instead of its words in any order.',
    },
    limit: { type: 'string', description: `Show at most this many companies. Default: ${DEFAULT_LIMIT}` },
    all: { type: 'boolean', description: 'Show all companies. This costs one request per 100 companies.' },
    ...JSON_OPTION,
  },
  help:
    'Finds companies whose names or numbers have all words of the text, or parts of words, in any order, the best hits first. With --json it prints ' +
    'one object per line.\n\n' +
    'All companies come from one snapshot of the data. If an import happens meanwhile, the search starts again and prints only ' +
    'companies that it has not printed yet.',
  examples: [
    ['search holdings acme --country gb', 'British companies with both words in a name.'],
    ['search 16802418 --json', 'Companies with this in their number, as JSON.'],
    ['search holdings --status active --all', 'All of them.'],
    ['search --country lv --sort -registeredAt', 'The newest companies of Latvia.'],
  ],
  async run(invocation, terminal) {
    const { values, flags, positionals } = invocation;
    const limit = readLimit(invocation, DEFAULT_LIMIT);
    const query: SearchQuery = {
      ...(positionals.length > 0 && { [flags.has('fragment') ? 'q' : 'words']: positionals.join(' ') }),
      country: values.country,
      register: values.register,
      jurisdiction: values.jurisdiction,
      // The service says which values it knows.
      status: values.status as SearchQuery['status'],
      legalForm: values['legal-form'],
      legalFormCode: values['legal-form-code'],
      elf: values.elf,
      legalFormClass: values['legal-form-class'],
      activity: values.activity,
      isic: values.isic,
      registeredFrom: values['registered-from'],
      registeredTo: values['registered-to'],
      sort: values.sort as SearchQuery['sort'],
      pageSize: Math.min(limit, MAX_PAGE_SIZE),
    };
    const client = connect(terminal);
    const { data, meta } = await client.searchEntities({ ...query, page: 1 }, { signal: terminal.signal });
    const table = flags.has('json') ? undefined : createTable(terminal, COLUMNS, data.map(listCells), OMIT);
    if (table && data.length > 0) await terminal.print(table.header);
    let shown = 0;
    for await (const company of limit <= MAX_PAGE_SIZE ? data : readAll(client, query, terminal.signal)) {
      await terminal.print(table ? table.renderRow(listCells(company)) : printableJson(company));
      if (++shown >= limit) break;
    }
    if (meta.total === 0) terminal.note(`No company matches.${describeUnknownCountry(query.country)}`);
    else if (shown < meta.total) {
      terminal.note(`${format(shown)} of ${format(meta.total)} companies. --limit shows more, --all shows all.`);
    }
  },
};

/** Its first page is the one that was read already: it is revalidated, which costs no quota. */
function readAll(client: Client, query: SearchQuery, signal: AbortSignal): AsyncIterable<EntitySummary> {
  return client.entities.search(query, { signal });
}

function listCells({ canonicalName, countryCode, registrationNumber, status, city, id }: EntitySummary) {
  return [canonicalName, countryCode, registrationNumber, status, city, id];
}

const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Codes that people write for a country and that are not its own. */
const MEANT: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

function describeUnknownCountry(country = ''): string {
  const code = country.toUpperCase();
  if (!/^[A-Z]{2}$/.test(code)) return '';
  const meant = MEANT[code];
  if (meant !== undefined) return ` There is no country ${code}: did you mean ${meant}?`;
  return regions.of(code) === undefined ? ` There is no country ${code}.` : '';
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
