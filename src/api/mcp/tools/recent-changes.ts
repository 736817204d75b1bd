import Type, { type Static } from 'typebox';
import { Failure, fail } from '../../../base/errors.ts';
import type { Registry } from '../../../registry/registry.ts';
import { SearchParameters } from '../../../search/parameters.ts';
import type { ChangeFeed } from '../../../watch/feed/feed.ts';
import { type Change, changeTypes } from '../../../watch/feed/feed.ts';
import { boundField, NOTICE, quote } from '../register-text.ts';
import { argument, createCitations, NullableText, Source, type SourceOf, Text, UuidArgument } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const PAGE_SIZE = 10;
const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;

const ChangedValues = Type.Unsafe<Change['before']>({ type: ['object', 'null'] });

const ListedChange = Type.Object({
  type: Text,
  occurredAt: Text,
  companyId: NullableText,
  countryCode: Text,
  register: Text,
  fields: Type.Array(Text),
  before: ChangedValues,
  after: ChangedValues,
  source: Source,
});
type ListedChange = Static<typeof ListedChange>;

export const changesTool = defineTool({
  name: 'recent_changes',
  description:
    'Lists what imports changed since a day, oldest first, or with companyId the history of one company, newest first. ' +
    'Continue with nextCursor while hasMore. "loaded" is the first import of a register.',
  input: {
    since: Type.Optional(
      Type.String({
        format: 'date',
        errorMessage: 'must be a day, such as 2026-11-01',
        description: `YYYY-MM-DD, default ${DEFAULT_DAYS} days ago`,
      }),
    ),
    companyId: Type.Optional(UuidArgument),
    country: argument(SearchParameters.properties.country),
    register: argument(SearchParameters.properties.register),
    type: Type.Optional(Type.Enum([...changeTypes], { type: 'string' })),
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  output: { changes: Type.Array(ListedChange), nextCursor: NullableText, hasMore: Type.Boolean() },
  async run({ since, companyId, country, register = null, type = null, cursor }, { changes, registry, clock }) {
    const filter = { country: country?.toUpperCase() ?? null, register, type };
    const isFiltered = since !== undefined || Object.values(filter).some((value) => value !== null);
    if (companyId !== undefined && isFiltered) throw fail('invalid_request', { message: UNFILTERED });
    const day = since === undefined ? clock.now() - DEFAULT_DAYS * DAY_MS : Date.parse(since);
    const { data, meta } =
      companyId === undefined
        ? await readFeed(changes, cursor ?? (await changes.findStart(day)), filter)
        : await findHistory(changes, companyId.toLowerCase(), cursor);
    const findSource = await readSources(registry, data);
    const listed = data.map((change) => toListed(change, findSource(change)));
    const { nextCursor, hasMore } = meta;
    const isEmpty = listed.length === 0;
    const head = isEmpty
      ? describeNothing(hasMore)
      : `${listed.length} changes.${hasMore ? ` More with cursor "${nextCursor}".` : ''}`;
    const { cite, list } = createCitations();
    const lines = listed.map((change) => writeChange(change, cite));
    const text = isEmpty ? head : [head, NOTICE, ...lines, ...list()].join('\n');
    return { data: { changes: listed, nextCursor, hasMore }, text, isEmpty };
  },
});

const UNFILTERED = 'With "companyId", give only "cursor" as well: the history has all changes.';

/** The main rows of the companies. The source of a company whose register was just loaded is the first file of the latest import. */
async function readSources(registry: Registry, data: readonly Change[]): Promise<(change: Change) => SourceOf | null> {
  const ids = [...new Set(data.flatMap(({ entityId }) => entityId ?? []))];
  const rows = await registry.findMainRows(ids);
  const files = data.some(({ entityId }) => entityId === null) ? await registry.listFiles() : [];
  return ({ entityId, register }) => {
    if (entityId !== null) return rows.get(entityId) ?? null;
    const found = files.find((each) => each.register === register);
    if (found === undefined) return null;
    const { file, hash, asOf, synthetic } = found;
    return { file, hash, row: null, asOf, synthetic: synthetic === 1 };
  };
}

function readFeed(changes: ChangeFeed, cursor: string, filter: Parameters<ChangeFeed['readPage']>[0]['filter']) {
  return explainCursor(changes.readPage({ cursor, filter, limit: PAGE_SIZE }));
}

async function findHistory(changes: ChangeFeed, id: string, cursor: string | undefined) {
  const page = await explainCursor(changes.findHistory(id, { cursor, limit: PAGE_SIZE }));
  if (page === undefined) throw fail('entity_not_found');
  return { data: page.data.map(({ change }) => change), meta: page.meta };
}

/** Replaces errors about the cursor: the messages of the feed are about query parameters of the API. */
async function explainCursor<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const code = error instanceof Failure ? error.code : undefined;
    if (code === 'cursor_expired') throw fail(code, { message: EXPIRED });
    throw code === 'invalid_request' ? fail(code, { message: INVALID_CURSOR }) : error;
  }
}

const EXPIRED = 'Changes after this cursor are no longer kept: call again with "since" instead of "cursor".';
const INVALID_CURSOR = 'The argument "cursor" is not valid: use nextCursor of an earlier result, exactly as it was.';

function toListed(
  { cursor: _, entityId, before, after, ...change }: Change,
  source: ListedChange['source'],
): ListedChange {
  return {
    ...change,
    companyId: entityId,
    fields: [...change.fields],
    before: boundValues(before),
    after: boundValues(after),
    source,
  };
}

function boundValues(values: Change['before']): Change['before'] {
  if (values === null) return null;
  return { ...values, canonicalName: boundField(values.canonicalName), legalForm: boundField(values.legalForm) };
}

function writeChange(
  { type, occurredAt, companyId, countryCode, register, fields, before, after, source }: ListedChange,
  cite: (source: ListedChange['source']) => string,
): string {
  const day = occurredAt.slice(0, 10);
  if (companyId === null) return `- ${day} ${register} (${countryCode}): the register was ${type}; ${cite(source)}`;
  const name = after?.canonicalName ?? before?.canonicalName ?? '';
  const status =
    before !== null && after !== null && before.status !== after.status
      ? `, status ${before.status} → ${after.status}`
      : '';
  const what = fields.length === 0 ? '' : ` (${fields.slice(0, 8).join(', ')})`;
  return `- ${day} ${type}: ${quote(name)} ${countryCode}${status}${what}, id ${companyId}; ${cite(source)}`;
}

function describeNothing(hasMore: boolean): string {
  return hasMore
    ? 'No changes in this part of the journal. Continue with nextCursor.'
    : 'No changes. Try an earlier "since", or fewer filters.';
}
