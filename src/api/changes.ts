import type { ServerResponse } from 'node:http';
import Type from 'typebox';
import { fail } from '../base/errors.ts';
import { changedFieldNames } from '../registry/journal/details.ts';
import { NO_NUL } from '../search/parameters.ts';
import { changeTypes } from '../watch/feed/feed.ts';
import { EntityParameters } from './entity.ts';
import {
  choice,
  component,
  count,
  flag,
  instant,
  listMeanings,
  listOf,
  nullable,
  orNull,
  parametersOf,
  text,
} from './fields.ts';
import { dataOperation } from './serving/data-operation.ts';
import { summaryFields } from './summary.ts';

const typeMeanings: Readonly<Record<(typeof changeTypes)[number], string>> = {
  added: 'the company is new',
  changed: 'fields of the record have changed',
  delisted: 'the register no longer lists the company',
  relisted: 'the register lists the company again',
  loaded: 'the register was imported for the first time; there is one such change per country and none per company',
};

const { canonicalName, status, legalForm, registeredAt, id, countryCode } = summaryFields;

const ChangedValues = component('ChangedValues', 'The normalized fields of a company, before or after a change.', {
  canonicalName,
  status,
  legalForm,
  registeredAt,
});

const detailText = (when: string) =>
  orNull.text(`The value ${when} as text, JSON if it is an object. Long ones are cut.`);

const ChangedDetail = component('ChangedDetail', 'How one value inside a record changed.', {
  field: text(
    'Path of the value in the record. Items of lists are listed under the path of the list.',
    'registry.address.postCode',
  ),
  before: detailText('before'),
  after: detailText('after'),
});

const cursor = text('Place in the feed right after this change. Opaque: do not take it apart.', 'MTItbWd4MWsyajAuMQ');

const Change = component('Change', 'What an import changed about one company.', {
  cursor,
  type: text(`What happened: ${listMeanings(typeMeanings)}. New values may be added.`, 'changed'),
  occurredAt: instant(
    'Time of the import that published the change. All changes of an import have the same time.',
    '2026-09-01T00:00:00.000Z',
  ),
  entityId: nullable({ ...id, description: 'The company. `null` if `type` is `loaded`.' }),
  countryCode,
  register: text('Identifier of the register that the record comes from.', 'gb'),
  fields: Type.Array(Type.String(), {
    description:
      `Names of the fields of the record that have changed: ${changedFieldNames.map((name) => `\`${name}\``).join(', ')}. ` +
      '`provenance` and `updatedAt` change with them and are not listed; the list is `updatedAt` alone if the record was only ' +
      'written again. Empty if `type` is `added` or `loaded`. New values may be added.',
    examples: [['canonicalName', 'sourceData']],
  }),
  before: nullable(ChangedValues),
  after: nullable(ChangedValues),
  details: orNull.listOf(
    ChangedDetail,
    'What changed in other fields, at most 20 values. `null` if nothing did, and for changes that were imported before this field existed.',
  ),
});

const oldest = text('Cursor before the oldest change that is kept.', 'MS1tZ3gxazJqMC4w');

export const ChangePage = component(
  'ChangePage',
  'One page of changes. It may have fewer than `limit` changes, or none.',
  {
    data: listOf(Change, 'In the order of the imports, the oldest first.'),
    meta: Type.Object({
      nextCursor: text(
        'Send it as `cursor` to continue. Present on every page, even on an empty one.',
        'MTItbWd4MWsyajAuMQ',
      ),
      hasMore: flag('Whether there may be more changes already. If so, request the next page at once.'),
      oldest,
    }),
  },
);

const EntityChangePage = component('EntityChangePage', 'Changes of one company.', {
  data: listOf(Change, 'The newest first.'),
  meta: Type.Object({
    nextCursor: orNull.text(
      'Send it as `cursor` to read older changes. `null` if there are none.',
      'MTItbWd4MWsyajAuMQ',
    ),
    hasMore: flag('Whether there are older changes.'),
    oldest,
  }),
});

const MAX_CURSOR_LENGTH = 100;
const MAX_LIMIT = 1_000;
export const DEFAULT_LIMIT = 100;
const MAX_WAIT_SECONDS = 30;

const limit = count('Maximum number of changes per page.', DEFAULT_LIMIT, {
  minimum: 1,
  maximum: MAX_LIMIT,
  default: DEFAULT_LIMIT,
});

const CURSOR_TEXT = { minLength: 1, maxLength: MAX_CURSOR_LENGTH } as const;

export const ChangeParameters = parametersOf({
  cursor: text(
    'Where to continue: `nextCursor` of the last page, or the `cursor` of the last change that you have processed. To follow ' +
      'data that you have read, the `X-Data-Version` of its first page, or the `dataVersion` of an export. `now` is the current ' +
      'end of the feed. Without it, the feed starts with the oldest change that is kept.',
    'now',
    {
      ...CURSOR_TEXT,
      pattern: '^[A-Za-z0-9_.+-]+$',
      errorMessage:
        'must be "now", a cursor of an earlier response, or X-Data-Version of one; omit it to start with the oldest change',
    },
  ),
  country: text('Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.', 'GB', {
    minLength: 2,
    maxLength: 2,
    pattern: '^[A-Za-z]{2}$',
    errorMessage: 'must be a two-letter country code (ISO 3166-1 alpha-2), such as GB; omit it for all countries',
  }),
  register: text('Identifier of the register, exactly as in the `register` field of a change.', 'gb', {
    minLength: 1,
    ...NO_NUL,
  }),
  type: choice([...changeTypes], 'Type of change, as in the `type` field. New values may be added.', 'changed', {
    type: 'string',
  }),
  limit,
  wait: count(
    'If there are no changes yet, how many seconds to wait for some. The response comes as soon as there are changes, and is ' +
      'an empty page if there are none by then.',
    0,
    { maximum: MAX_WAIT_SECONDS, default: 0 },
  ),
});

const EntityChangeParameters = parametersOf({
  cursor: text('`nextCursor` of the last page. Without it, the list starts with the newest change.', undefined, {
    ...CURSOR_TEXT,
    pattern: '^[A-Za-z0-9_-]+$',
    errorMessage: 'must be a cursor of an earlier response; omit it to start with the newest change',
  }),
  limit,
});

/**
 * The operations that list the changes of imports. A page without changes is free, so that clients can ask as often as their rate limit allows.
 * Neither operation has a `version`: reading the version takes as long as an empty page, and a 304 must not come before the wait is over.
 */
export const changes = [
  dataOperation({
    url: '/api/v1/changes',
    operationId: 'listChanges',
    summary: 'List changes',
    description:
      'Returns what imports have changed, in order. Every cursor continues without gap or repetition. A page may have fewer ' +
      'changes than `limit` although `hasMore` is true. A page without changes costs no quota. See [staying in ' +
      'sync](/docs/sync).',
    querystring: ChangeParameters,
    success: { description: 'One page of changes.', schema: ChangePage },
    codes: ['cursor_expired'],
    waitMs: ({ wait = 0 }) => wait * 1_000,
    answer:
      (api) =>
      async (parameters, { caller: { accountId }, response }) => {
        const { cursor, country, register = null, type = null, limit = DEFAULT_LIMIT, wait = 0 } = parameters;
        const request = { cursor, filter: { country: country?.toUpperCase() ?? null, register, type }, limit };
        const page =
          wait === 0
            ? await api.changes.readPage(request)
            : await api.changes.waitForPage(request, {
                accountId,
                deadline: performance.now() + wait * 1_000,
                gone: followClose(response),
              });
        const { data, meta, version } = page;
        return { version, body: JSON.stringify({ data, meta }), isFree: data.length === 0 };
      },
  }),
  dataOperation({
    url: '/api/v1/entities/:id/changes',
    operationId: 'listEntityChanges',
    summary: 'List changes of a company',
    description:
      'Returns what imports have changed about one company, the newest first, as far back as changes are kept. A page without ' +
      'changes costs no quota.',
    params: EntityParameters,
    querystring: EntityChangeParameters,
    success: { description: 'One page of changes.', schema: EntityChangePage },
    codes: ['entity_not_found', 'cursor_expired'],
    answer:
      (api) =>
      async ({ id, cursor, limit = DEFAULT_LIMIT }) => {
        const page = await api.changes.findHistory(id.toLowerCase(), { cursor, limit });
        if (page === undefined) throw fail('entity_not_found');
        const { meta, version } = page;
        const data = page.data.map(({ change }) => change);
        return { version, body: JSON.stringify({ data, meta }), isFree: data.length === 0 };
      },
  }),
];

/** Returns a signal that aborts when the response is closed. A close before the response was sent means that the client has gone. */
export function followClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}
