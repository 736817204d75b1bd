import Type, { type Static } from 'typebox';
import { fail } from '../base/errors.ts';
import { isGone } from '../base/requests/gone.ts';
import { MAX_NAME_LENGTH } from '../base/storable.ts';
import type { Registry } from '../registry/registry.ts';
import { SearchParameters } from '../search/parameters.ts';
import type { MonitorPage } from '../watch/monitors/events.ts';
import { monitorFields, monitorTypes } from '../watch/monitors/monitor.ts';
import type { Monitor as KnownMonitor } from '../watch/monitors/monitors.ts';
import { ChangePage, ChangeParameters, DEFAULT_LIMIT, followClose } from './changes.ts';
import { listMeanings, nullable } from './fields.ts';
import { accountOperation } from './serving/account-operation.ts';
import { bare, json } from './serving/answers.ts';
import { chargedOperation } from './serving/charged-operation.ts';

const typeMeanings: Readonly<Record<(typeof monitorTypes)[number], string>> = {
  added: 'a watched company appears for the first time',
  changed: 'fields of the record have changed',
  delisted: 'the register no longer lists the company',
  relisted: 'the register lists the company again',
  entered: 'the company begins to match the saved search',
  left: 'the company no longer matches the saved search',
};

const MAX_REFERENCES = 1_000;
const name = Type.String({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description:
    `What the monitor is for: 1 to ${MAX_NAME_LENGTH} characters, counted as Unicode code points. It is stored as you send it, white space ` +
    'and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.',
  examples: ['Suppliers'],
  errorMessage: {
    required: `is required: it must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
    type: `must be a string of 1 to ${MAX_NAME_LENGTH} characters`,
  },
});
const types = Type.Array(Type.Enum([...monitorTypes], { type: 'string' }), {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  errorMessage: `must be a list of different types of change: ${monitorTypes.join(', ')}`,
  description: `The types of change that count: ${listMeanings(typeMeanings)}. All of them by default. New values may be added.`,
  examples: [['changed', 'delisted']],
});
const fields = Type.Array(Type.Enum([...monitorFields], { type: 'string' }), {
  minItems: 1,
  maxItems: 20,
  uniqueItems: true,
  description:
    'Changes of the type `changed` count only if one of these fields changed. `address` is the city and the registered address. ' +
    '`null`, the default: any field. New values may be added.',
  examples: [['status', 'address']],
});

const anyFields = Type.Union([fields, Type.Null()], {
  errorMessage: `must be null or a list of different fields: ${monitorFields.join(', ')}`,
});

const { sort: _sort, page: _page, pageSize: _size, ...filters } = SearchParameters.properties;
const SavedSearch = Type.Object(filters, {
  $id: 'SavedSearch',
  additionalProperties: false,
  errorMessage: 'must be an object with the parameters of a search, except sort, page and pageSize',
  description:
    'The parameters of a search (`GET /api/v1/entities`) without order and page. At most 10,000 companies may match when it is ' +
    'set. See [saved searches](/docs/monitors#saved-searches).',
  examples: [{ country: 'GB', q: 'bank', status: 'active' }],
});

const CompanyReference = Type.Union(
  [
    Type.String({ format: 'uuid', description: 'The `id` of a company.' }),
    Type.Object(
      {
        countryCode: Type.String({ pattern: '^[A-Za-z]{2}$', examples: ['GB'] }),
        registrationNumber: Type.String({
          minLength: 1,
          maxLength: 100,
          pattern: '^[^\\u0000]*$',
          examples: ['00445790'],
        }),
      },
      { additionalProperties: false, description: 'Country and registration number of a company.' },
    ),
  ],
  { $id: 'CompanyReference' },
);
type GivenReference = Static<typeof CompanyReference>;

const companies = (what: string) =>
  Type.Array(CompanyReference, {
    maxItems: MAX_REFERENCES,
    errorMessage: `must be a list of up to ${MAX_REFERENCES} companies, each an id or an object with "countryCode" and "registrationNumber"`,
    description: `Companies to ${what}, at most ${MAX_REFERENCES} per request: ids, or countries and registration numbers.`,
  });

const NewMonitor = Type.Object(
  {
    name,
    entities: Type.Optional(companies('watch')),
    search: Type.Optional(SavedSearch),
    types: Type.Optional(types),
    fields: Type.Optional(anyFields),
  },
  { $id: 'NewMonitor', additionalProperties: false },
);

export const MonitorUpdate = Type.Object(
  {
    name: Type.Optional(name),
    search: Type.Optional(SavedSearch),
    types: Type.Optional(types),
    fields: Type.Optional(anyFields),
  },
  { $id: 'MonitorUpdate', additionalProperties: false },
);

const EntityChanges = Type.Object(
  { add: Type.Optional(companies('add')), remove: Type.Optional(companies('remove')) },
  { $id: 'MonitorEntityChanges', additionalProperties: false },
);

const cursor = Type.String({
  description: 'Place in the change feed. Changes after it are compared with the monitor as it is now.',
  examples: ['MTItbWd4MWsyajAuMQ'],
});

const Monitor = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String({ examples: ['Suppliers'] }),
    search: nullable(
      Type.Object(
        {},
        { additionalProperties: true, description: 'The parameters of the saved search. `null` for a list.' },
      ),
    ),
    types: Type.Array(Type.String(), { description: 'The types of change that count.', examples: [['changed']] }),
    fields: nullable(Type.Array(Type.String(), { description: 'The fields whose changes count. `null`: any.' })),
    entities: Type.Integer({ minimum: 0, description: 'Number of watched companies.', examples: [3000] }),
    cursor: { ...cursor, description: 'Place in the change feed after which changes are reported.' },
    problem: nullable(
      Type.String({
        description:
          'Why the monitor has stopped: `too_many_companies` if its saved search matches more than 10,000 companies of a register that ' +
          'was imported for the first time. Send a narrower `search` to continue. New values may be added.',
        examples: ['too_many_companies'],
      }),
    ),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Monitor', description: 'Companies whose changes you want to know, and what counts as a change.' },
);

const NotFound = Type.Array(CompanyReference, {
  description: 'The companies of the request that there are not. They were left out.',
});

const count = (which: string) =>
  Type.Integer({
    minimum: 0,
    description: `Companies ${which}. \`null\` if the search was not changed.`,
    examples: [3],
  });

const MonitorReply = Type.Object({ data: Monitor }, { $id: 'MonitorReply' });

const CreatedMonitorReply = Type.Object(
  { data: Monitor, meta: Type.Object({ notFound: NotFound }) },
  { $id: 'CreatedMonitorReply' },
);

const UpdatedMonitorReply = Type.Object(
  {
    data: Monitor,
    meta: Type.Object({
      cursor,
      added: nullable(count('that match the new search and did not match the old one')),
      removed: nullable(count('that matched the old search and do not match the new one')),
    }),
  },
  { $id: 'UpdatedMonitorReply' },
);

const MonitorList = Type.Object(
  {
    data: Type.Array(Monitor),
    meta: Type.Object({
      count: Type.Integer({ minimum: 0, description: 'Number of monitors.', examples: [1] }),
      limit: Type.Integer({ minimum: 0, description: 'Maximum number of monitors of the plan.', examples: [20] }),
      watched: Type.Integer({ minimum: 0, description: 'Watched companies of all monitors.', examples: [3000] }),
      watchedLimit: Type.Integer({ minimum: 0, description: 'Maximum of the plan.', examples: [10000] }),
    }),
  },
  { $id: 'MonitorList' },
);

const EntitiesChangedReply = Type.Object(
  {
    data: Monitor,
    meta: Type.Object({
      added: Type.Integer({ minimum: 0, description: 'Companies that were not in the list before.' }),
      removed: Type.Integer({ minimum: 0, description: 'Companies that were in the list.' }),
      notFound: NotFound,
      cursor,
    }),
  },
  { $id: 'MonitorEntitiesChangedReply' },
);

const MonitorEntityList = Type.Object(
  {
    data: Type.Array(Type.String({ format: 'uuid' }), { description: 'Ids of companies, in order.' }),
    meta: Type.Object({
      next: nullable(Type.String({ description: 'Send it as `after` to continue. `null` at the end.' })),
    }),
  },
  { $id: 'MonitorEntityList' },
);

const MonitorParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a monitor, 36 characters including hyphens',
    description: 'The `id` of a monitor.',
  }),
});

const EntityListParameters = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        format: 'uuid',
        description: '`next` of the last page. Without it, the list starts at its beginning.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        default: 1_000,
        description: 'Maximum number of ids.',
        examples: [1000],
      }),
    ),
  },
  { additionalProperties: false },
);

const { cursor: start, limit, wait } = ChangeParameters.properties;
const MonitorChangeParameters = Type.Object({ cursor: start, limit, wait }, { additionalProperties: false });

const PATH = '/api/v1/monitors';
/** What all operations have in common. A request may have 1,000 companies to add and as many to remove. */
const own = { tag: 'Monitors', credential: 'account', bodyLimit: 512 * 1024 } as const;
const ofOne = { ...own, params: MonitorParameters } as const;
const NOT_FOUND = 'monitor_not_found';

type ChangesGiven = Static<typeof MonitorParameters> & Static<typeof MonitorChangeParameters>;

/** The changes that a monitor reports. Each costs one unit, so a page is never longer than the rest of the quota. */
const monitorChanges = chargedOperation<ChangesGiven, MonitorPage>({
  credential: 'account',
  url: `${PATH}/:id/changes`,
  operationId: 'listMonitorChanges',
  tag: 'Monitors',
  summary: 'List changes of a monitor',
  description:
    'Returns the changes that the monitor reports, in order, with the cursors of the [change feed](/docs/sync): every cursor ' +
    'continues without gap or repetition. Each change costs one request of the quota, and a page has at most as many as ' +
    'are left. A page without changes costs nothing.',
  price: 'quoted',
  params: MonitorParameters,
  querystring: MonitorChangeParameters,
  replies: { 200: json('One page of changes.', ChangePage) },
  codes: ['monthly_quota_exceeded', 'insufficient_quota', NOT_FOUND, 'cursor_expired'],
  work: (api) => ({
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async quote({ id, cursor, limit = DEFAULT_LIMIT, wait = 0 }, { caller: { accountId }, limits, input }, sell) {
      const { request, reply } = input;
      const affordable = Math.max(1, Math.min(limit, limits.quota.remaining));
      const asked = { accountId, id: id.toLowerCase(), cursor, limit: affordable };
      const waiting = { accountId, deadline: performance.now() + wait * 1_000, gone: followClose(reply.raw) };
      const page =
        wait === 0 ? await api.monitorChanges.readPage(asked) : await api.monitorChanges.waitForPage(asked, waiting);
      // HEAD delivers no change.
      await sell(request.method === 'HEAD' ? 0 : page.data.length, page);
    },
    send(page, { reply }) {
      const isLost = isGone(reply.raw);
      reply.mustRevalidate().send(page).finish();
      return isLost ? Promise.resolve(0) : undefined;
    },
  }),
});

/** Monitors, for programs with an API key, which needs the right to manage for changes, and for people with a session. */
export const monitors = [
  accountOperation({
    ...own,
    url: PATH,
    operationId: 'listMonitors',
    summary: 'List monitors',
    description: 'Returns the monitors of the account, the oldest first.',
    replies: { 200: json('All monitors of the account.', MonitorList) },
    async answer(_given, { api, account: { accountId, plan } }) {
      const data = (await api.monitors.list(accountId)).map(show);
      const watched = data.reduce((sum, { entities }) => sum + entities, 0);
      const { maxMonitors: limit, maxWatchedCompanies: watchedLimit } = plan;
      return { data, meta: { count: data.length, limit, watched, watchedLimit } };
    },
  }),
  accountOperation({
    ...own,
    method: 'POST',
    url: PATH,
    operationId: 'createMonitor',
    summary: 'Create a monitor',
    description:
      'Creates a monitor, which reports the changes of companies from now on. Add more companies with `POST …/entities`. With an ' +
      '`Idempotency-Key`, a repeated request makes no second monitor, and names the first one. See [monitors](/docs/monitors).',
    isRepeatable: true,
    body: NewMonitor,
    replies: { 201: json('The monitor.', CreatedMonitorReply) },
    codes: ['monitor_limit_reached'],
    async answer(_given, { api, account, body, idempotencyKey }) {
      const { entities, search, ...given } = body;
      if (entities !== undefined && search !== undefined) throw fail('invalid_request', { message: EITHER });
      const key = idempotencyKey();
      const { ids, notFound } = await findCompanies(api.registry, entities);
      const monitor = await api.monitors.create(account, { ...given, watch: search ?? ids }, key);
      return { data: show(monitor), meta: { notFound } };
    },
  }),
  accountOperation({
    ...ofOne,
    url: `${PATH}/:id`,
    operationId: 'getMonitor',
    summary: 'Retrieve a monitor',
    description: 'Returns one monitor.',
    replies: { 200: json('The monitor.', MonitorReply) },
    codes: [NOT_FOUND],
    async answer({ id }, { api, account: { accountId } }) {
      return { data: show(await api.monitors.find(accountId, id.toLowerCase())) };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'PATCH',
    url: `${PATH}/:id`,
    operationId: 'updateMonitor',
    summary: 'Update a monitor',
    description:
      'Changes the name of a monitor, what counts as a change, or its saved search. Fields that you leave out stay as they are. The reply ' +
      'names the place in the change feed from which the change is in effect. See [changing a monitor](/docs/monitors#change-a-monitor).',
    body: MonitorUpdate,
    replies: { 200: json('The monitor.', UpdatedMonitorReply) },
    codes: [NOT_FOUND, 'monitor_limit_reached'],
    async answer({ id }, { api, account, body }) {
      const { monitor, cursor, added, removed } = await api.monitors.update(account, id.toLowerCase(), body);
      return { data: show(monitor), meta: { cursor, added, removed } };
    },
  }),
  accountOperation({
    ...ofOne,
    url: `${PATH}/:id/entities`,
    operationId: 'listMonitorEntities',
    summary: 'List the companies of a monitor',
    description: 'Returns the ids of the watched companies.',
    querystring: EntityListParameters,
    replies: { 200: json('One page of ids.', MonitorEntityList) },
    codes: [NOT_FOUND],
    async answer({ id, after, limit = 1_000 }, { api, account: { accountId } }) {
      const data = await api.monitors.listEntities(accountId, id.toLowerCase(), after?.toLowerCase(), limit);
      return { data, meta: { next: data.length < limit ? null : (data.at(-1) ?? null) } };
    },
  }),
  accountOperation({
    ...ofOne,
    method: 'POST',
    url: `${PATH}/:id/entities`,
    operationId: 'changeMonitorEntities',
    summary: 'Add or remove companies',
    description:
      'Adds companies to a monitor and removes others, all at the same place in the change feed, which the reply names. A company that ' +
      'is in the list already stays in it.',
    body: EntityChanges,
    replies: { 200: json('The monitor.', EntitiesChangedReply) },
    codes: [NOT_FOUND, 'monitor_limit_reached'],
    async answer({ id }, { api, account, body }) {
      const adding = await findCompanies(api.registry, body.add);
      const removing = await findCompanies(api.registry, body.remove);
      const change = { add: adding.ids, remove: removing.ids };
      const { monitor, added, removed, cursor } = await api.monitors.changeEntities(account, id.toLowerCase(), change);
      const notFound = [...adding.notFound, ...removing.notFound];
      return { data: show(monitor), meta: { added, removed, notFound, cursor } };
    },
  }),
  monitorChanges,
  accountOperation({
    ...ofOne,
    method: 'DELETE',
    url: `${PATH}/:id`,
    operationId: 'deleteMonitor',
    summary: 'Delete a monitor',
    description: 'Deletes a monitor and the changes that it has reported.',
    replies: { 204: bare('Deleted.') },
    codes: [NOT_FOUND],
    answer({ id }, { api, account: { accountId } }) {
      return api.monitors.delete(accountId, id.toLowerCase());
    },
  }),
];

const EITHER = 'A monitor has either "entities" or "search": send one of them.';

/** The ids of the given companies, and those that there are not. */
async function findCompanies(registry: Registry, given: readonly GivenReference[] = []) {
  const ids = await registry.findIds(given.map((each) => (typeof each === 'string' ? { id: each } : each)));
  return {
    ids: ids.filter((id) => id !== undefined),
    notFound: given.filter((_, index) => ids[index] === undefined),
  };
}

function show({ id, name, search, types, fields, entities, cursor, problem, createdAt }: KnownMonitor) {
  const [listed, named] = [[...types], fields && [...fields]];
  const described = { id, name, search, types: listed, fields: named, entities, cursor, problem };
  return { ...described, createdAt: new Date(createdAt).toISOString() };
}
