import type { Static } from 'typebox';
import type { QuotedOperation } from '../../accounts/charging/operation.ts';
import { fail } from '../../base/errors.ts';
import { isGone } from '../../base/requests/gone.ts';
import type { Site } from '../../base/site.ts';
import type { Routes } from '../../http/app.ts';
import { IGNORED_BODIES } from '../../http/bodies.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { CompanyReference } from '../../registry/find-ids.ts';
import type { Registry } from '../../registry/registry.ts';
import type { MonitorChanges, MonitorPage } from '../../watch/monitors/events.ts';
import type { Monitor, Monitors } from '../../watch/monitors/monitors.ts';
import {
  type AccountAccess,
  bodyCodes,
  changeCodes,
  createAccountAccess,
  describeAccountRoute,
} from '../account-access.ts';
import { ChangePage, DEFAULT_LIMIT, followClose } from '../changes.ts';
import {
  CreatedMonitorReply,
  EntitiesChangedReply,
  EntityChanges,
  EntityListParameters,
  type GivenReference,
  MonitorChangeParameters,
  MonitorEntityList,
  MonitorList,
  MonitorParameters,
  MonitorReply,
  MonitorUpdate,
  NewMonitor,
  UpdatedMonitorReply,
} from '../schemas/monitors.ts';
import { bare, json } from '../serving/answers.ts';
import { type Charging, charge, readParameters } from '../serving/charge.ts';
import { IdempotencyHeaders, readIdempotencyKey } from '../serving/idempotency-key.ts';
import type { RequireSession } from '../serving/session.ts';

interface MonitorServices extends MonitorChangeServices {
  readonly site: Site;
  readonly monitors: Monitors;
  readonly registry: Pick<Registry, 'findIds'>;
}

const MONITORS_PATH = '/api/v1/monitors';
/** 1,000 companies to add and as many to remove. */
const MAX_BODY_BYTES = 512 * 1024;

/** Monitors, for programs with an API key, which needs the right to manage for changes, and for people with a session. */
export function registerMonitors(
  app: Routes,
  services: MonitorServices,
  charging: Charging,
  requireSession: RequireSession,
): void {
  const { monitors, registry, site } = services;

  const access = createAccountAccess(charging, site, requireSession);
  const scope = app.scope({ ...access.options, bodyLimit: MAX_BODY_BYTES });

  /** The ids of the given companies, and those that there are not. */
  async function resolve(given: readonly GivenReference[] = []) {
    const ids = await registry.findIds(given.map(toReference));
    return {
      ids: ids.filter((id) => id !== undefined),
      notFound: given.filter((_, index) => ids[index] === undefined),
    };
  }

  scope.get(
    MONITORS_PATH,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId, plan }) => {
        const data = (await monitors.list(accountId)).map(show);
        const watched = data.reduce((sum, { entities }) => sum + entities, 0);
        const { maxMonitors: limit, maxWatchedCompanies: watchedLimit } = plan;
        return { data, meta: { count: data.length, limit, watched, watchedLimit } };
      }),
    describeAccountRoute(LIST, { 200: json('All monitors of the account.', MonitorList) }, []),
  );

  scope.post<{ Body: Static<typeof NewMonitor> }>(
    MONITORS_PATH,
    async (request, reply) => {
      const answer = await access.change(request, reply, async (account) => {
        const { entities, search, ...given } = request.body;
        if (entities !== undefined && search !== undefined) throw fail('invalid_request', { message: EITHER });
        const key = readIdempotencyKey(request.raw);
        const { ids, notFound } = await resolve(entities);
        const monitor = await monitors.create(account, { ...given, watch: search ?? ids }, key);
        return { data: show(monitor), meta: { notFound } };
      });
      return reply.code(201).send(answer);
    },
    describeAccountRoute(
      CREATE,
      { 201: json('The monitor.', CreatedMonitorReply) },
      [...bodyCodes, 'monitor_limit_reached', 'idempotency_key_reused'],
      { headers: IdempotencyHeaders, body: NewMonitor },
    ),
  );

  scope.get<OneMonitor>(
    `${MONITORS_PATH}/:id`,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId }) => ({
        data: show(await monitors.find(accountId, idOf(request))),
      })),
    describeAccountRoute(FIND, { 200: json('The monitor.', MonitorReply) }, NOT_FOUND, { params: MonitorParameters }),
  );

  scope.route({
    method: 'PATCH',
    url: `${MONITORS_PATH}/:id`,
    ...describeAccountRoute(
      UPDATE,
      { 200: json('The monitor.', UpdatedMonitorReply) },
      [...NOT_FOUND, ...bodyCodes, 'monitor_limit_reached'],
      { params: MonitorParameters, body: MonitorUpdate },
    ),
    handler: (request, reply) =>
      access.change(request, reply, async (account) => {
        const given = request.body as Static<typeof MonitorUpdate>;
        const { monitor, cursor, added, removed } = await monitors.update(account, idOf(request), given);
        return { data: show(monitor), meta: { cursor, added, removed } };
      }),
  });

  scope.get<OneMonitor & { Querystring: Static<typeof EntityListParameters> }>(
    `${MONITORS_PATH}/:id/entities`,
    (request, reply) =>
      access.perform(request, reply, async ({ accountId }) => {
        const { after, limit = 1_000 } = request.query;
        const data = await monitors.listEntities(accountId, idOf(request), after?.toLowerCase(), limit);
        return { data, meta: { next: data.length < limit ? null : (data.at(-1) ?? null) } };
      }),
    describeAccountRoute(LIST_ENTITIES, { 200: json('One page of ids.', MonitorEntityList) }, NOT_FOUND, {
      params: MonitorParameters,
      querystring: EntityListParameters,
    }),
  );

  scope.post<OneMonitor & { Body: Static<typeof EntityChanges> }>(
    `${MONITORS_PATH}/:id/entities`,
    (request, reply) =>
      access.change(request, reply, async (account) => {
        const { add, remove } = request.body;
        const [adding, removing] = [await resolve(add), await resolve(remove)];
        const change = { add: adding.ids, remove: removing.ids };
        const { monitor, added, removed, cursor } = await monitors.changeEntities(account, idOf(request), change);
        const notFound = [...adding.notFound, ...removing.notFound];
        return { data: show(monitor), meta: { added, removed, notFound, cursor } };
      }),
    describeAccountRoute(
      CHANGE_ENTITIES,
      { 200: json('The monitor.', EntitiesChangedReply) },
      [...NOT_FOUND, ...bodyCodes, 'monitor_limit_reached'],
      { params: MonitorParameters, body: EntityChanges },
    ),
  );

  registerMonitorChanges(scope, services, charging, access);

  scope.route({
    method: 'DELETE',
    url: `${MONITORS_PATH}/:id`,
    bodies: IGNORED_BODIES,
    ...describeAccountRoute(DELETE, { 204: bare('Deleted.') }, [...NOT_FOUND, ...changeCodes], {
      params: MonitorParameters,
    }),
    async handler(request, reply) {
      await access.change(request, reply, ({ accountId }) => monitors.delete(accountId, idOf(request)));
      return reply.code(204).send();
    },
  });
}

const NOT_FOUND = ['monitor_not_found'] as const;

interface OneMonitor {
  readonly Params: { readonly id: string };
}

function idOf({ params }: HttpRequest): string {
  return (params as OneMonitor['Params']).id.toLowerCase();
}

function toReference(given: GivenReference): CompanyReference {
  return typeof given === 'string' ? { id: given } : given;
}

const EITHER = 'A monitor has either "entities" or "search": send one of them.';

function show({ id, name, search, types, fields, entities, cursor, problem, createdAt }: Monitor) {
  const [listed, named] = [[...types], fields && [...fields]];
  const described = { id, name, search, types: listed, fields: named, entities, cursor, problem };
  return { ...described, createdAt: new Date(createdAt).toISOString() };
}

const LIST = {
  tag: 'Monitors',
  operationId: 'listMonitors',
  summary: 'List monitors',
  description: 'Returns the monitors of the account, the oldest first.',
} as const;
const CREATE = {
  tag: 'Monitors',
  operationId: 'createMonitor',
  summary: 'Create a monitor',
  description:
    'Creates a monitor, which reports the changes of companies from now on. Add more companies with `POST …/entities`. With an ' +
    '`Idempotency-Key`, a repeated request makes no second monitor, and names the first one. See [monitors](/docs/monitors).',
} as const;
const FIND = {
  tag: 'Monitors',
  operationId: 'getMonitor',
  summary: 'Retrieve a monitor',
  description: 'Returns one monitor.',
} as const;
const UPDATE = {
  tag: 'Monitors',
  operationId: 'updateMonitor',
  summary: 'Update a monitor',
  description:
    'Changes the name of a monitor, what counts as a change, or its saved search. Fields that you leave out stay as they are. The reply ' +
    'names the place in the change feed from which the change is in effect. See [changing a monitor](/docs/monitors#change-a-monitor).',
} as const;
const DELETE = {
  tag: 'Monitors',
  operationId: 'deleteMonitor',
  summary: 'Delete a monitor',
  description: 'Deletes a monitor and the changes that it has reported.',
} as const;
const LIST_ENTITIES = {
  tag: 'Monitors',
  operationId: 'listMonitorEntities',
  summary: 'List the companies of a monitor',
  description: 'Returns the ids of the watched companies.',
} as const;
const CHANGE_ENTITIES = {
  tag: 'Monitors',
  operationId: 'changeMonitorEntities',
  summary: 'Add or remove companies',
  description:
    'Adds companies to a monitor and removes others, all at the same place in the change feed, which the reply names. A company that ' +
    'is in the list already stays in it.',
} as const;

interface MonitorChangeServices {
  readonly monitorChanges: Pick<MonitorChanges, 'readPage' | 'waitForPage'>;
}

type Given = Static<typeof MonitorParameters> & Static<typeof MonitorChangeParameters>;

/** The changes that a monitor reports. Each costs one unit, so a page is never longer than the rest of the quota. */
function registerMonitorChanges(
  app: Routes,
  { monitorChanges }: MonitorChangeServices,
  charging: Charging,
  { startExchange }: AccountAccess,
): void {
  const operation: Omit<QuotedOperation<HttpReply, Given, MonitorPage>, 'needs'> = {
    price: 'quoted',
    read: ({ request }) => readParameters<Given>(request),
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async quote({ id, cursor, limit = DEFAULT_LIMIT, wait = 0 }, { caller, limits, input }, sell) {
      const affordable = Math.max(1, Math.min(limit, limits.quota.remaining));
      const asked = { accountId: caller.accountId, id: id.toLowerCase(), cursor, limit: affordable };
      const deadline = performance.now() + wait * 1_000;
      const waiting = { accountId: caller.accountId, deadline, gone: followClose(input.raw) };
      const page = wait === 0 ? await monitorChanges.readPage(asked) : await monitorChanges.waitForPage(asked, waiting);
      // HEAD delivers no change.
      await sell(input.request.method === 'HEAD' ? 0 : page.data.length, page);
    },
  };

  app.get(
    '/api/v1/monitors/:id/changes',
    (request, reply) => {
      const exchange = startExchange(request, reply, reply);
      const needs = { credential: exchange.credential.kind, plan: 'any' } as const;
      charge(charging, { ...operation, needs }, exchange, (page) => {
        const isLost = isGone(reply.raw);
        reply.mustRevalidate().send(page).finish();
        return isLost ? Promise.resolve(0) : undefined;
      });
    },
    describeAccountRoute(
      {
        operationId: 'listMonitorChanges',
        tag: 'Monitors',
        summary: 'List changes of a monitor',
        description:
          'Returns the changes that the monitor reports, in order, with the cursors of the [change feed](/docs/sync): every cursor ' +
          'continues without gap or repetition. Each change costs one request of the quota, and a page has at most as many as ' +
          'are left. A page without changes costs nothing.',
      },
      { 200: json('One page of changes.', ChangePage) },
      ['monthly_quota_exceeded', 'insufficient_quota', 'monitor_not_found', 'cursor_expired'],
      { params: MonitorParameters, querystring: MonitorChangeParameters },
    ),
  );
}
