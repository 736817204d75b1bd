import Type from 'typebox';
import type { EntitySummary } from '../../../base/entity-summary.ts';
import { fail } from '../../../base/errors.ts';
import type { ExcerptValue } from '../../../base/json/json-excerpt.ts';
import type { Parties, ShownParty } from '../../../registry/parties/parties.ts';
import { boundField, boundValue, NOTICE, quote } from '../register-text.ts';
import { Company, readSource, Text, toCompany, UuidArgument, writeCompany } from '../shapes.ts';
import { defineTool, type ToolContext } from '../tool.ts';

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
    const company = toCompany(summary as unknown as EntitySummary, readSource(provenance));
    const { values, omitted } = boundParts(
      { details, registrations, related, provenance, ...(wantsSourceData && { sourceData }) },
      totals,
    );
    const ownership = await readOwnership(registry.parties, company, context);
    const facts = [...writeFacts(summary, details, omitted), ...writeOwnership(ownership)];
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

/** Writes the facts that most questions are about, for clients that show a model only the text. */
function writeFacts(
  summary: Readonly<Record<string, ExcerptValue>>,
  details: ExcerptValue | undefined,
  omitted: readonly string[],
): string[] {
  const facts = [
    ['Legal form', summary.legalForm],
    ['Registered', summary.registeredAt],
    ['Address', read(details, 'address', 'text')],
    ['Ended', read(details, 'endedAt')],
    ['Activity', read(details, 'activities', '0', 'label') ?? read(details, 'activities', '0', 'code')],
    ['Former name', read(details, 'previousNames', '0', 'name')],
  ];
  const lines = facts.flatMap(([label, value]) =>
    typeof value === 'string' ? [`${label}: ${quote(value, 300)}`] : [],
  );
  return omitted.length === 0 ? lines : [...lines, 'Some long parts are shortened: see omitted.'];
}

function read(value: ExcerptValue | undefined, ...path: readonly string[]): ExcerptValue | undefined {
  let part: ExcerptValue | undefined = value;
  for (const name of path) {
    if (part === null || typeof part !== 'object') return undefined;
    part = (part as Readonly<Record<string, ExcerptValue>>)[name];
  }
  return part;
}

/** The maximum length of a list in the text, which then takes about 1,500 tokens. */
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
