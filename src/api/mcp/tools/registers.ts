import Type, { type Static } from 'typebox';
import { Failure, fail } from '../../../base/errors.ts';
import { judgeTogether } from '../../../base/freshness.ts';
import type { ExcerptValue } from '../../../base/json/json-excerpt.ts';
import type { Proof } from '../../../import/proof/proof.ts';
import type { Proofs } from '../../../import/proof/proofs.ts';
import { matchNumber, type NumberMatch } from '../../../registers/number-check.ts';
import { isSupplied } from '../../../registry/records/records.ts';
import type { Registry } from '../../../registry/registry.ts';
import { SearchParameters } from '../../../search/parameters.ts';
import { type Change, type ChangeFeed, changeTypes } from '../../../watch/feed/feed.ts';
import {
  argument,
  boundField,
  boundValue,
  NOTICE,
  NullableText,
  quote,
  Source,
  type SourceOf,
  Text,
  UuidArgument,
  writeList,
  writeSource,
} from '../shapes.ts';
import { defineTool } from '../tool.ts';

/** Tools about registers and their files: what there is, what has changed, which numbers are valid, and proofs of records. */

const MAX_LISTED_FILES = 3;

export const countriesTool = defineTool({
  name: 'list_countries',
  description: 'Lists the countries and registers that can be searched, with their number of companies, files and age.',
  input: {},
  output: {
    countries: Type.Array(Type.Object({ code: Text, name: Text, asOf: NullableText, freshness: NullableText })),
    planned: Type.Array(Text),
    registers: Type.Array(
      Type.Object({
        id: Text,
        countryCode: NullableText,
        name: Text,
        companies: Type.Integer(),
        asOf: NullableText,
        synthetic: Type.Boolean(),
        files: Type.Array(Type.Object({ file: Text, hash: Text })),
      }),
    ),
  },
  async run(_given, { registry, clock }) {
    const now = clock.now();
    const [listed, states, files] = await Promise.all([
      registry.listCountries(),
      registry.listRegisters(now),
      registry.listFiles(),
    ]);
    const filesOf = Map.groupBy(files, ({ register }) => register);
    const countries = listed
      .filter(({ enabled }) => enabled)
      .map(({ code, name, data }) => ({ code, name, ...judgeTogether(data, now) }));
    const planned = listed.filter(({ enabled }) => !enabled).map(({ code }) => code);
    const registers = states
      .filter(({ entities }) => entities > 0)
      .map(({ register: { id, country, name }, entities, asOf, synthetic }) => ({
        id,
        countryCode: country,
        name,
        companies: entities,
        asOf,
        synthetic,
        files: (filesOf.get(id) ?? [])
          .slice(0, MAX_LISTED_FILES)
          .map(({ file, hash }) => ({ file: boundField(file), hash })),
      }));
    const lines = registers.map(({ id, countryCode, name, companies, asOf, synthetic }) => {
      const place = countryCode ?? 'all countries';
      return `- ${id} (${place}): ${name}, ${companies} companies, ${asOf === null ? 'day not stated' : `as of ${asOf}`}${synthetic ? ', synthetic sample' : ''}`;
    });
    const codes = countries.map(({ code }) => code).join(', ');
    const text = [
      `${countries.length === 1 ? '1 country' : `${countries.length} countries`}: ${codes || 'none yet'}. Planned: ${planned.join(', ')}. Registers:`,
      ...lines,
    ].join('\n');
    return { data: { countries, planned, registers }, text };
  },
});

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
        ? await explainCursor(
            changes.readPage({ cursor: cursor ?? (await changes.findStart(day)), filter, limit: PAGE_SIZE }),
          )
        : await explainCursor(findHistory(changes, companyId.toLowerCase(), cursor));
    const findSource = await readSources(registry, data);
    const listed = data.map(({ cursor: _, entityId, fields, ...change }) => ({
      ...change,
      companyId: entityId,
      fields: [...fields],
      before: boundValues(change.before),
      after: boundValues(change.after),
      source: findSource({ entityId, register: change.register }),
    }));
    const { nextCursor, hasMore } = meta;
    const isEmpty = listed.length === 0;
    const more = hasMore ? ` More with cursor "${nextCursor}".` : '';
    const nothing = hasMore ? NOTHING_HERE : NOTHING;
    const head = isEmpty ? nothing : `${listed.length} changes.${more}`;
    const text = writeList(head, listed, writeChange);
    return { data: { changes: listed, nextCursor, hasMore }, text, isEmpty };
  },
});

const NOTHING = 'No changes. Try an earlier "since", or fewer filters.';
const NOTHING_HERE = 'No changes in this part of the journal. Continue with nextCursor.';
const UNFILTERED = 'With "companyId", give only "cursor" as well: the history has all changes.';

/** The main rows of the companies. The source of a company whose register was just loaded is the first file of the latest import. */
async function readSources(
  registry: Registry,
  data: readonly Change[],
): Promise<(change: Pick<Change, 'entityId' | 'register'>) => SourceOf | null> {
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

async function findHistory(changes: ChangeFeed, id: string, cursor: string | undefined) {
  const page = await changes.findHistory(id, { cursor, limit: PAGE_SIZE });
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

function boundValues(values: Change['before']): Change['before'] {
  if (values === null) return null;
  return { ...values, canonicalName: boundField(values.canonicalName), legalForm: boundField(values.legalForm) };
}

function writeChange(
  { type, occurredAt, companyId, countryCode, register, fields, before, after, source }: ListedChange,
  cite: (source: SourceOf | null) => string,
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

const NullableBoolean = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });

/** This tool reads no company data, so it is free. */
export const checkNumberTool = defineTool({
  name: 'check_registration_number',
  description:
    'Checks the form and check digits of a company, VAT or LEI number. Free. valid is null where a ' +
    'register has no check digits.',
  input: {
    number: Type.String({ minLength: 1, maxLength: 60 }),
    country: argument(SearchParameters.properties.country),
  },
  output: {
    valid: NullableBoolean,
    matches: Type.Array(
      Type.Object({ register: Text, countryCode: NullableText, kind: Text, number: Text, valid: NullableBoolean }),
    ),
  },
  isFree: true,
  run({ number, country }) {
    const matches = matchNumber(number, country?.toUpperCase());
    const valid = matches[0]?.valid ?? (matches.length === 0 ? false : null);
    return { data: { valid, matches }, text: describeMatches(number, country, matches) };
  },
});

function describeMatches(number: string, country: string | undefined, matches: readonly NumberMatch[]): string {
  const [best] = matches;
  if (best === undefined) {
    const place = country === undefined ? 'any of our registers' : `a register of ${country.toUpperCase()}`;
    return `${quote(number)} does not have the form of a number in ${place}. Check it for missing characters.`;
  }
  // If one register accepts the number, it is hardly a mistyped number of another register.
  const shown = best.valid === true ? matches.filter(({ valid }) => valid !== false) : matches;
  const lines = shown.map(
    ({ register, kind, number: written, valid }) => `- ${register}: ${kind} ${written}: ${describeValidity(valid)}`,
  );
  return [
    `${quote(number)} as a number of these registers:`,
    ...lines,
    `To find the company: search_companies with q "${best.number}".`,
  ].join('\n');
}

function describeValidity(valid: boolean | null): string {
  if (valid === null) return 'format only, this kind of number has no check digit';
  return valid ? 'valid' : 'invalid check digit: a digit is wrong or missing';
}

const MAX_FILES_LENGTH = 4_000;

export const provenanceTool = defineTool({
  name: 'verify_provenance',
  description:
    'Reads the official file again, if it is kept here, and compares every cell and field of a company. Also returns files with ' +
    'SHA-256, rows, addresses and licence.',
  input: { id: UuidArgument },
  waitMs: ({ proofs }) => proofs.maxCallMs,
  output: {
    outcome: Text,
    compared: Type.Integer(),
    differences: Type.Integer(),
    source: Source,
    sourceUrl: Text,
    publisher: Text,
    licence: Text,
    files: Type.Unsafe<readonly object[]>({ type: 'array', items: { type: 'object' } }),
    command: Text,
  },
  async run({ id: given }, { registry, proofs }, { accountId }) {
    const id = given.toLowerCase();
    const found = await registry.findExcerpt(id);
    if (found === undefined) throw fail('entity_not_found');
    const command = `firmament prove ${id}`;
    const result = summarize(await proofs.prove(id, accountId));
    if (result.outcome === 'busy') return describeBusy(result, command);
    const { provenance = null, canonicalName = '' } = found.content.value;
    const source = (await registry.findMainRows([id])).get(id) ?? null;
    const origin = (provenance ?? {}) as Readonly<Record<string, ExcerptValue>>;
    const { sourceUrl = '', publisher = '', licence = '', files = [] } = origin;
    const writer = isSupplied(origin) ? 'Supplied by the operator of this service, in the format of' : 'Published by';
    const text = [
      NOTICE,
      `${quote(String(canonicalName))}: ${writeSource(source)}.`,
      `${writer} ${quote(String(publisher))} at ${quote(String(sourceUrl), 300)}, licence ${quote(String(licence), 300)}.`,
      describeProof(result),
      `To check it elsewhere: download the file, compare its SHA-256, and read the row; or run "${command} --file" with it.`,
    ].join('\n');
    return {
      data: {
        ...result,
        source,
        sourceUrl: String(sourceUrl),
        publisher: String(publisher),
        licence: String(licence),
        files: boundValue(files, '/provenance/files', MAX_FILES_LENGTH).value as unknown as readonly object[],
        command,
      },
      text,
    };
  },
});

/** This answer is free, and many calls at once can cause it, so it contains no data of the record. */
function describeBusy(result: ProofResult, command: string) {
  const data = { ...result, source: null, sourceUrl: '', publisher: '', licence: '', files: [], command };
  return { data, text: describeProof(result), isEmpty: true };
}

interface ProofResult {
  readonly outcome: Proof['outcome'] | 'busy' | 'too slow';
  readonly compared: number;
  readonly differences: number;
}

function summarize(proof: Awaited<ReturnType<Proofs['prove']>>): ProofResult {
  // The record existed when the call started, so it was removed in the meantime.
  if (proof === undefined) throw fail('entity_not_found');
  if (typeof proof === 'string') return { outcome: proof, compared: 0, differences: 0 };
  const parts = [proof.cells, proof.fields].filter((part) => part !== null);
  const differences = parts.reduce((sum, { differ }) => sum + differ, 0);
  const compared = parts.reduce((sum, { agree }) => sum + agree, differences);
  return { outcome: proof.outcome, compared, differences };
}

function describeProof({ outcome, compared, differences }: ProofResult): string {
  if (outcome === 'proven')
    return `Proven just now: the kept file has its SHA-256, and all ${compared} cells and fields of the record are what it says.`;
  if (outcome !== 'different') return UNPROVEN[outcome];
  const missing = differences === 0 ? ', but rows are missing in it' : '';
  return `Different: ${differences} of ${compared} cells and fields are not what the file says${missing}. Do not rely on this record, and report it to the operator.`;
}

const UNPROVEN: Readonly<Record<Exclude<ProofResult['outcome'], 'proven' | 'different'>, string>> = {
  altered: 'Not proven: the copy of the file that is kept here has been altered, so it proves nothing.',
  'not kept': 'Not proven: the file is not kept here.',
  unverifiable: 'Not proven: this version cannot find the rows in the file.',
  busy: 'Not proven yet: it is the turn of others. This call was free and keeps your place: call again.',
  'too slow': 'Not proven: the file is too large to be read within the time of a call.',
};
