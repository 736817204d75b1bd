import Type, { type Static } from 'typebox';
import { isGone } from '../accounts/charging/execute.ts';
import { fail } from '../base/errors.ts';
import type { Registry } from '../registry/registry.ts';
import { SearchParameters } from '../search/parameters.ts';
import type { MonitorPage } from '../watch/monitors/events.ts';
import { type Monitor as KnownMonitor, monitorFields, monitorTypes } from '../watch/monitors/monitor.ts';

import { ChangePage, ChangeParameters, DEFAULT_LIMIT, followClose } from './changes.ts';
import {
  bodyOf,
  component,
  count,
  formatInstant,
  idOf,
  listMeanings,
  listOf,
  nullable,
  orNull,
  parametersOf,
  replyOf,
  text,
  uuid,
} from './fields.ts';
import { newName } from './named-secrets.ts';
import { resourceOperations } from './serving/account-operation.ts';
import { json } from './serving/answers.ts';
import { chargedOperation } from './serving/operation.ts';

const typeMeanings: Readonly<Record<(typeof monitorTypes)[number], string>> = {
  added: 'a watched company appears for the first time',
  changed: 'fields of the record have changed',
  delisted: 'the register no longer lists the company',
  relisted: 'the register lists the company again',
  entered: 'the company begins to match the saved search',
  left: 'the company no longer matches the saved search',
};

const MAX_REFERENCES = 1_000;
const name = newName('monitor', 'Suppliers');
const types = listOf(
  Type.Enum([...monitorTypes], { type: 'string' }),
  `The types of change that count: ${listMeanings(typeMeanings)}. All of them by default. New values may be added.`,
  ['changed', 'delisted'],
  {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    errorMessage: `must be a list of different types of change: ${monitorTypes.join(', ')}`,
  },
);
const fields = listOf(
  Type.Enum([...monitorFields], { type: 'string' }),
  'Changes of the type `changed` count only if one of these fields changed. `address` is the city and the registered address. ' +
    '`null`, the default: any field. New values may be added.',
  ['status', 'address'],
  { minItems: 1, maxItems: 20, uniqueItems: true },
);

const { sort: _sort, page: _page, pageSize: _size, ...filters } = SearchParameters.properties;
const SavedSearch = bodyOf('SavedSearch', filters, {
  errorMessage: 'must be an object with the parameters of a search, except sort, page and pageSize',
  description:
    'The parameters of a search (`GET /api/v1/entities`) without order and page. At most 10,000 companies may match when it is ' +
    'set. See [saved searches](/docs/monitors#saved-searches).',
  examples: [{ country: 'GB', q: 'bank', status: 'active' }],
});

const CompanyReference = Type.Union(
  [
    uuid('The `id` of a company.'),
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
  Type.Optional(
    listOf(
      CompanyReference,
      `Companies to ${what}, at most ${MAX_REFERENCES} per request: ids, or countries and registration numbers.`,
      undefined,
      {
        maxItems: MAX_REFERENCES,
        errorMessage: `must be a list of up to ${MAX_REFERENCES} companies, each an id or an object with "countryCode" and "registrationNumber"`,
      },
    ),
  );

const settings = {
  search: Type.Optional(SavedSearch),
  types: Type.Optional(types),
  fields: Type.Optional(
    Type.Union([fields, Type.Null()], {
      errorMessage: `must be null or a list of different fields: ${monitorFields.join(', ')}`,
    }),
  ),
};

const NewMonitor = bodyOf('NewMonitor', { name, entities: companies('watch'), ...settings });
export const MonitorUpdate = bodyOf('MonitorUpdate', { name: Type.Optional(name), ...settings });
const EntityChanges = bodyOf('MonitorEntityChanges', { add: companies('add'), remove: companies('remove') });

const cursor = text(
  'Place in the change feed. Changes after it are compared with the monitor as it is now.',
  'MTItbWd4MWsyajAuMQ',
);

const Monitor = component('Monitor', 'Companies whose changes you want to know, and what counts as a change.', {
  id: Type.String({ format: 'uuid' }),
  name: Type.String({ examples: ['Suppliers'] }),
  search: nullable(
    Type.Object(
      {},
      { additionalProperties: true, description: 'The parameters of the saved search. `null` for a list.' },
    ),
  ),
  types: listOf(Type.String(), 'The types of change that count.', ['changed']),
  fields: orNull.listOf(Type.String(), 'The fields whose changes count. `null`: any.'),
  entities: count('Number of watched companies.', 3000),
  cursor: { ...cursor, description: 'Place in the change feed after which changes are reported.' },
  problem: orNull.text(
    'Why the monitor has stopped: `too_many_companies` if its saved search matches more than 10,000 companies of a register that ' +
      'was imported for the first time. Send a narrower `search` to continue. New values may be added.',
    'too_many_companies',
  ),
  createdAt: Type.String({ format: 'date-time' }),
});

const notFound = listOf(CompanyReference, 'The companies of the request that there are not. They were left out.');

const changed = (which: string) => orNull.count(`Companies ${which}. \`null\` if the search was not changed.`, 3);

const MonitorReply = replyOf('MonitorReply', Monitor);
const CreatedMonitorReply = replyOf('CreatedMonitorReply', Monitor, { notFound });
const UpdatedMonitorReply = replyOf('UpdatedMonitorReply', Monitor, {
  cursor,
  added: changed('that match the new search and did not match the old one'),
  removed: changed('that matched the old search and do not match the new one'),
});
const MonitorList = replyOf('MonitorList', Type.Array(Monitor), {
  count: count('Number of monitors.', 1),
  limit: count('Maximum number of monitors of the plan.', 20),
  watched: count('Watched companies of all monitors.', 3000),
  watchedLimit: count('Maximum of the plan.', 10000),
});
const EntitiesChangedReply = replyOf('MonitorEntitiesChangedReply', Monitor, {
  added: count('Companies that were not in the list before.'),
  removed: count('Companies that were in the list.'),
  notFound,
  cursor,
});
const MonitorEntityList = replyOf(
  'MonitorEntityList',
  listOf(Type.String({ format: 'uuid' }), 'Ids of companies, in order.'),
  { next: orNull.text('Send it as `after` to continue. `null` at the end.') },
);

const MonitorParameters = idOf('a monitor', 'The `id` of a monitor.');

const EntityListParameters = parametersOf({
  after: uuid('`next` of the last page. Without it, the list starts at its beginning.'),
  limit: count('Maximum number of ids.', 1000, { minimum: 1, maximum: 1_000, default: 1_000 }),
});

const { cursor: start, limit, wait } = ChangeParameters.properties;
const MonitorChangeParameters = parametersOf({ cursor: start, limit, wait });

const PATH = '/api/v1/monitors';
type ChangesGiven = Static<typeof MonitorParameters> & Static<typeof MonitorChangeParameters>;

/** The changes that a monitor reports. Each change costs one unit, so a page is never longer than the rest of the quota. */
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
  params: MonitorParameters,
  querystring: MonitorChangeParameters,
  replies: { 200: json('One page of changes.', ChangePage) },
  codes: ['monthly_quota_exceeded', 'insufficient_quota', 'monitor_not_found', 'cursor_expired'],
  work: (api) => ({
    price: 'quoted',
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async quote({ id, cursor, limit = DEFAULT_LIMIT, wait = 0 }, { caller: { accountId }, limits, input }, sell) {
      const { request, reply } = input;
      const affordable = Math.max(1, Math.min(limit, limits.quota.remaining));
      const asked = { accountId, id: id.toLowerCase(), cursor, limit: affordable };
      const waiting = { accountId, deadline: performance.now() + wait * 1_000, gone: followClose(reply.raw) };
      const page =
        wait === 0 ? await api.monitorChanges.readPage(asked) : await api.monitorChanges.waitForPage(asked, waiting);
      // A HEAD request delivers no change, so it is free.
      await sell(request.method === 'HEAD' ? 0 : page.data.length, page);
    },
    send(page, { reply }) {
      reply.mustRevalidate().send(page);
      return isGone(reply.raw) ? Promise.resolve(0) : reply;
    },
  }),
});

const { list, create, one, remove } = resourceOperations({
  kind: 'monitor',
  path: PATH,
  tag: 'Monitors',
  credential: 'account',
  // A request may add 1,000 companies and remove as many.
  bodyLimit: 512 * 1024,
  params: MonitorParameters,
  show,
});

/** Monitors, for programs with an API key, which needs the right to manage to make changes, and for people with a session. */
export const monitors = [
  list({
    operationId: 'listMonitors',
    summary: 'List monitors',
    description: 'Returns the monitors of the account, the oldest first.',
    reply: json('All monitors of the account.', MonitorList),
    list: (api, accountId) => api.monitors.list(accountId),
    summarize: (shown, { maxWatchedCompanies }) => ({
      watched: shown.reduce((sum, { entities }) => sum + entities, 0),
      watchedLimit: maxWatchedCompanies,
    }),
  }),
  create({
    operationId: 'createMonitor',
    summary: 'Create a monitor',
    description:
      'Creates a monitor, which reports the changes of companies from now on. Add more companies with `POST …/entities`. With an ' +
      '`Idempotency-Key`, a repeated request makes no second monitor, and names the first one. See [monitors](/docs/monitors).',
    body: NewMonitor,
    reply: json('The monitor.', CreatedMonitorReply),
    async answer(_given, { api, account, body, idempotencyKey }) {
      const { entities, search, ...given } = body;
      if (entities !== undefined && search !== undefined) throw fail('invalid_request', { message: EITHER });
      const { ids, notFound } = await findCompanies(api.registry, entities);
      const monitor = await api.monitors.create(account, { ...given, watch: search ?? ids }, idempotencyKey);
      return { data: show(monitor), meta: { notFound } };
    },
  }),
  one({
    operationId: 'getMonitor',
    summary: 'Retrieve a monitor',
    description: 'Returns one monitor.',
    reply: json('The monitor.', MonitorReply),
    answer: async ({ id }, { api, account }) => ({ data: show(await api.monitors.find(account.accountId, id)) }),
  }),
  one({
    method: 'PATCH',
    operationId: 'updateMonitor',
    summary: 'Update a monitor',
    description:
      'Changes the name of a monitor, what counts as a change, or its saved search. Fields that you leave out stay as they are. The reply ' +
      'names the place in the change feed from which the change is in effect. See [changing a monitor](/docs/monitors#change-a-monitor).',
    body: MonitorUpdate,
    reply: json('The monitor.', UpdatedMonitorReply),
    codes: ['monitor_limit_reached'],
    async answer({ id }, { api, account, body }) {
      const { monitor, cursor, added, removed } = await api.monitors.update(account, id, body);
      return { data: show(monitor), meta: { cursor, added, removed } };
    },
  }),
  one({
    at: '/entities',
    operationId: 'listMonitorEntities',
    summary: 'List the companies of a monitor',
    description: 'Returns the ids of the watched companies.',
    querystring: EntityListParameters,
    reply: json('One page of ids.', MonitorEntityList),
    async answer({ id, after, limit = 1_000 }, { api, account }) {
      const data = await api.monitors.listEntities(account.accountId, id, after?.toLowerCase(), limit);
      return { data, meta: { next: data.length < limit ? null : (data.at(-1) ?? null) } };
    },
  }),
  one({
    at: '/entities',
    method: 'POST',
    operationId: 'changeMonitorEntities',
    summary: 'Add or remove companies',
    description:
      'Adds companies to a monitor and removes others, all at the same place in the change feed, which the reply names. A company that ' +
      'is in the list already stays in it.',
    body: EntityChanges,
    reply: json('The monitor.', EntitiesChangedReply),
    codes: ['monitor_limit_reached'],
    async answer({ id }, { api, account, body }) {
      const adding = await findCompanies(api.registry, body.add);
      const removing = await findCompanies(api.registry, body.remove);
      const change = { add: adding.ids, remove: removing.ids };
      const { monitor, added, removed, cursor } = await api.monitors.changeEntities(account, id, change);
      const notFound = [...adding.notFound, ...removing.notFound];
      return { data: show(monitor), meta: { added, removed, notFound, cursor } };
    },
  }),
  monitorChanges,
  remove({
    operationId: 'deleteMonitor',
    summary: 'Delete a monitor',
    description: 'Deletes a monitor and the changes that it has reported.',
    remove: (api, accountId, id) => api.monitors.delete(accountId, id),
  }),
];

const EITHER = 'A monitor has either "entities" or "search": send one of them.';

/** Returns the ids of the given companies, and the references for which there is no company. */
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
  return { ...described, createdAt: formatInstant(createdAt) };
}
