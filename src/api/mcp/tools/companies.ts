import Type from 'typebox';
import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fail } from '../../../base/errors.ts';
import type { ExcerptValue } from '../../../base/json/json-excerpt.ts';
import { describeUnknownCountry } from '../../../registry/country-names.ts';
import type { Parties, ShownParty } from '../../../registry/parties/parties.ts';
import { MatchParameters, toMatchQuery } from '../../../search/match-parameters.ts';
import { SearchParameters, toSearchQuery } from '../../../search/parameters.ts';
import {
  argument,
  boundField,
  boundValue,
  Company,
  NOTICE,
  NullableText,
  quote,
  required,
  Text,
  toCompany,
  UuidArgument,
  writeCompany,
  writeList,
} from '../shapes.ts';
import { defineTool, type ToolContext } from '../tool.ts';

const PAGE_SIZE = 10;
const parameters = SearchParameters.properties;

export const searchTool = defineTool({
  name: 'search_companies',
  description:
    'Finds companies by words of a name or a number (words), or an exact part (q). Exact totals, 10 per page.',
  input: {
    words: argument(parameters.words, 'holdings albion'),
    q: argument(parameters.q),
    country: argument(parameters.country),
    register: argument(parameters.register, 'Id from list_countries'),
    jurisdiction: argument(parameters.jurisdiction, 'US-NY'),
    status: argument(parameters.status),
    legalForm: argument(parameters.legalForm),
    legalFormCode: argument(parameters.legalFormCode),
    elf: argument(parameters.elf),
    legalFormClass: argument(parameters.legalFormClass),
    activity: argument(parameters.activity),
    isic: argument(parameters.isic, 'J, 62, 6201'),
    registeredFrom: argument(parameters.registeredFrom, 'YYYY-MM-DD'),
    registeredTo: argument(parameters.registeredTo),
    sort: argument(parameters.sort),
    page: argument(parameters.page),
  },
  output: {
    total: Type.Integer(),
    page: Type.Integer(),
    pageCount: Type.Integer(),
    companies: Type.Array(Company),
    suggestion: NullableText,
  },
  async run(given, { search, registry }, { accountId, deadline }) {
    const query = { ...toSearchQuery(given), pageSize: PAGE_SIZE };
    const { body, total } = await search.find(query, accountId, deadline);
    const text = `${query.words} ${query.q}`.trim();
    const { data, meta } = JSON.parse(Buffer.from(body).toString('utf8')) as SearchBody;
    const rows = await registry.findMainRows(data.map(({ id }) => id));
    const companies = data.map((summary) => toCompany(summary, rows.get(summary.id)));
    const suggestion = (total === 0 && text !== '' && search.correct?.(text)) || null;
    const unknown = total > 0 || query.country === undefined ? undefined : describeUnknownCountry(query.country);
    const head = unknown ?? describeTotal(total, meta, suggestion);
    const first = (query.page - 1) * PAGE_SIZE + 1;
    const list = writeList(head, companies, (company, cite, at) => `${first + at}. ${writeCompany(company, cite)}`);
    return { data: { total, page: meta.page, pageCount: meta.pageCount, companies, suggestion }, text: list };
  },
});

interface SearchBody {
  readonly data: readonly EntitySummary[];
  readonly meta: { readonly page: number; readonly pageCount: number };
}

function describeTotal(total: number, { page, pageCount }: SearchBody['meta'], suggestion: string | null): string {
  if (total === 0) {
    const hint = suggestion === null ? '' : ` Did you mean ${quote(suggestion)}?`;
    return `No company matches.${hint} Try a shorter part of the name, or fewer filters.`;
  }
  const companies = total === 1 ? '1 company matches' : `${total} companies match`;
  if (page > pageCount) return `${companies}, but there are only ${pageCount} pages.`;
  return `${companies}. Page ${page} of ${pageCount}.`;
}

const matching = MatchParameters.properties;
const MATCH_LIMIT = 5;
const MAX_REASONS = 4;

export const matchTool = defineTool({
  name: 'match_company',
  description:
    'Finds the company meant by an inexact name: misspelt, shortened, in another script. score is a probability. Rely on a candidate ' +
    'only if match is true; otherwise add country, number or city, or ask the user.',
  input: {
    name: required(matching.name),
    country: argument(matching.country),
    registrationNumber: argument(matching.registrationNumber),
    city: argument(matching.city),
  },
  output: {
    status: Text,
    text: Text,
    candidates: Type.Array(
      Type.Object({ score: Type.Number(), match: Type.Boolean(), reasons: Type.Array(Text), company: Company }),
    ),
  },
  async run(given, { matcher, registry }, { accountId, deadline }) {
    const query = { ...toMatchQuery(given), limit: MATCH_LIMIT };
    const { answer } = await matcher.match(query, { account: accountId, deadline });
    const { status, text, candidates: found } = answer;
    const rows = await registry.findMainRows(found.map(({ entity }) => entity.id));
    const candidates = found.map(({ entity, score, match, reasons }) => ({
      score,
      match,
      reasons: reasons
        .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
        .slice(0, MAX_REASONS)
        .map((reason) => boundField(reason.text)),
      company: toCompany(entity, rows.get(entity.id)),
    }));
    const list = writeList(`${status}: ${quote(text)}`, candidates, ({ score, match, reasons, company }, cite, at) => {
      const why = reasons.map((reason) => quote(reason)).join(' ');
      return `${at + 1}. ${score.toFixed(3)}${match ? ' match' : ''}: ${writeCompany(company, cite)}; because ${why}`;
    });
    return { data: { status, text, candidates }, text: list };
  },
});

const Anything = Type.Unsafe<ExcerptValue>({ type: 'object' });
const List = Type.Unsafe<ExcerptValue>({ type: 'array', items: { type: 'object' } });

export const companyTool = defineTool({
  name: 'get_company',
  description:
    'Returns one company: details, all its numbers, its owners and holdings, records ' +
    'of other registers about it, and where it was read. Long records are shortened; omitted names what is missing.',
  input: {
    id: UuidArgument,
    sourceData: Type.Optional(Type.Boolean({ description: 'Also the source fields' })),
  },
  output: {
    company: Company,
    details: Anything,
    registrations: List,
    related: List,
    ownership: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
    provenance: Type.Unsafe<ExcerptValue>({ type: ['object', 'null'] }),
    sourceData: Type.Optional(Anything),
    omitted: Type.Array(Text),
  },
  async run({ id, sourceData: wantsSourceData = false }, { registry }, context) {
    const found = await registry.findExcerpt(id.toLowerCase());
    if (found === undefined) throw fail('entity_not_found');
    const { value, totals } = found.content;
    const { registry: details, sourceData, registrations, related, partyCounts: _, provenance, ...summary } = value;
    const rows = await registry.findMainRows([id.toLowerCase()]);
    const company = toCompany(summary as unknown as EntitySummary, rows.get(id.toLowerCase()));
    const parts = { details, registrations, related, provenance, ...(wantsSourceData && { sourceData }) };
    const { values, omitted } = boundParts(parts, totals);
    const ownership = await readOwnership(registry.parties, company, context);
    const facts = [...writeFacts(company, (details ?? {}) as Details, omitted), ...writeOwnership(ownership)];
    const text = [NOTICE, writeCompany(company), ...facts].join('\n');
    return { data: { company, ...values, ownership, omitted }, text };
  },
});

/** The parts of a record: the path of each part in the record, and how many of its characters are returned. Details are about 2,000 tokens. */
const PARTS = {
  details: { pointer: '/registry', max: 6_000, empty: {} },
  registrations: { pointer: '/registrations', max: 2_000, empty: [] },
  related: { pointer: '/related', max: 2_000, empty: [] },
  provenance: { pointer: '/provenance', max: 2_000, empty: null },
  sourceData: { pointer: '/sourceData', max: 8_000, empty: {} },
} as const;
const MAX_OMITTED = 30;

type PartName = keyof typeof PARTS;

/** `totals` names the lists that are already shortened in the excerpt of the record. */
function boundParts(
  given: Readonly<Partial<Record<PartName, ExcerptValue | undefined>>>,
  totals: Readonly<Record<string, number>>,
) {
  const values = {} as Record<PartName, ExcerptValue>;
  const omitted = new Set<string>();
  for (const name of Object.keys(given) as PartName[]) {
    const { pointer, max, empty } = PARTS[name];
    const bounded = boundValue(given[name] ?? empty, pointer, max);
    values[name] = bounded.value;
    for (const each of bounded.omitted) omitted.add(each);
    for (const each of Object.keys(totals)) if (each.startsWith(pointer)) omitted.add(each);
  }
  return { values, omitted: [...omitted].slice(0, MAX_OMITTED) };
}

interface Details {
  readonly address?: { readonly text?: string };
  readonly endedAt?: string;
  readonly activities?: readonly { readonly label?: string; readonly code?: string }[];
  readonly previousNames?: readonly { readonly name?: string }[];
}

/** Writes the facts that most questions are about, for clients that show a model only the text. */
function writeFacts({ legalForm, registeredAt }: Company, details: Details, omitted: readonly string[]): string[] {
  const [activity] = details.activities ?? [];
  const facts = {
    'Legal form': legalForm,
    Registered: registeredAt,
    Address: details.address?.text,
    Ended: details.endedAt,
    Activity: activity?.label ?? activity?.code,
    'Former name': details.previousNames?.[0]?.name,
  };
  const known = Object.entries(facts).filter(([, value]) => typeof value === 'string');
  const lines = known.map(([label, value]) => `${label}: ${quote(String(value), 300)}`);
  return omitted.length === 0 ? lines : [...lines, 'Some long parts are shortened: see omitted.'];
}

const MAX_LISTED = 10;

type Ownership = Awaited<ReturnType<typeof readOwnership>>;

/** Who is connected with a company and what it owns. Null if the register publishes no parties, or if parties are switched off. */
async function readOwnership(
  parties: Pick<Parties, 'isShown' | 'list' | 'walk'>,
  { id, register }: Pick<Company, 'id' | 'register'>,
  { accountId, deadline }: ToolContext,
) {
  if (!parties.isShown(String(register))) return null;
  const list = await parties.list(id, {});
  const below = await parties.walk(id, 'holdings', 1, accountId, deadline);
  if (list === undefined || below === undefined) return null;
  const holdings = below.nodes.filter(({ depth }) => depth === 1);
  return {
    coverage: list.coverage,
    total: list.total,
    parties: list.parties.slice(0, MAX_LISTED).map((party) => {
      const { role, kind, interests, from, absence, source } = party;
      return { role, ...identify(party), kind, interests, from, absence, source };
    }),
    holdingTotal: holdings.length,
    holdings: holdings.slice(0, MAX_LISTED).map(identify),
  };
}

function identify(company: Pick<ShownParty, 'entityId' | 'name' | 'number' | 'countryCode'>) {
  const { entityId, name, number, countryCode } = company;
  return { id: entityId, name: boundField(name), number: boundField(number), countryCode };
}

function writeOwnership(ownership: Ownership): string[] {
  if (ownership === null) return [];
  const { coverage, total, parties, holdingTotal, holdings } = ownership;
  if (coverage !== 'available') return ['Owners: the files are not imported here.'];
  const owners = parties.map(({ role, absence, ...party }) =>
    absence === null ? `${nameRole(role)}: ${writeName(party)}` : `${nameRole(role)}: none named, ${absence.reason}`,
  );
  const rest = total > parties.length ? [`${total} parties in total.`] : [];
  const below = holdings.map(writeName).join('; ');
  return [...owners, ...rest, `Holdings: ${holdingTotal}${below && `, such as ${below}`}`];
}

function writeName({ name, number, id }: ReturnType<typeof identify>): string {
  return `${quote(name ?? number ?? 'not named')}${id === null ? '' : `, id ${id}`}`;
}

function nameRole(role: string): string {
  return role.replaceAll('_', ' ');
}
