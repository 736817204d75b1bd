import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { legalFormClassNames } from '../../src/classifications/elf.ts';
import { isicLevels } from '../../src/classifications/isic-code.ts';
import { entityStatuses } from '../../src/core/entity-status.ts';
import type { Freshness } from '../../src/core/freshness.ts';
import { plans } from '../../src/core/plans.ts';
import { usageWarnings } from '../../src/core/usage.ts';
import { exportFormats } from '../../src/exports/manifest.ts';
import { changeTypes } from '../../src/journal/feed/change.ts';
import { changedFieldNames } from '../../src/journal/fields.ts';
import type { MatchAnswer } from '../../src/matching/matching.ts';
import { monitorFields, monitorTypes } from '../../src/monitors/monitor.ts';
import {
  activityTypes,
  addressTypes,
  elfSources,
  elfTrusts,
  nameTypes,
  partyKinds,
  partyRoles,
} from '../../src/registers/vocabulary-values.ts';
import { sortOrders } from '../../src/search/search.ts';
import { deliveryStates } from '../../src/webhooks/delivery/states.ts';
import { disabledReasons } from '../../src/webhooks/reasons.ts';
import { startService, type TestService } from '../harness/service.ts';

type Schema = Readonly<Record<string, unknown>>;
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly security: readonly Schema[];
  readonly responses: Readonly<Record<string, object>>;
}

const contract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const paths = contract.paths as Record<string, Record<string, Operation>>;

const planIds = plans.map(({ id }) => id);
/** The compiler checks that none is missing. */
const freshness = { fresh: true, due: true, overdue: true } satisfies Record<Freshness, true>;

const matchStatuses = { match: true, ambiguous: true, none: true } satisfies Record<MatchAnswer['status'], true>;

/** The values that the code knows, by where the contract lists them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'searchEntities.status': entityStatuses,
  'matchEntity.status': entityStatuses,
  'MatchQuery.status': entityStatuses,
  'MatchAnswer.status': Object.keys(matchStatuses),
  'searchEntities.sort': sortOrders,
  'searchEntities.activityType': Object.keys(activityTypes),
  'listChanges.type': changeTypes,
  'Country.freshness': Object.keys(freshness),
  'EntityDetail.activities.type': Object.keys(activityTypes),
  'EntityDetail.activities.isic.level': isicLevels,
  'EntityDetail.activities.nace.level': isicLevels,
  'IsicCode.level': isicLevels,
  'EntityDetail.legalForm.elf.source': Object.keys(elfSources),
  'EntityDetail.legalForm.elf.trust': Object.keys(elfTrusts),
  'EntityDetail.legalForm.leiElf.source': Object.keys(elfSources),
  'EntityDetail.legalForm.leiElf.trust': Object.keys(elfTrusts),
  'ElfCode.legalFormClass': legalFormClassNames,
  'EntityDetail.addresses.type': Object.keys(addressTypes),
  'EntityDetail.otherNames.type': Object.keys(nameTypes),
  'EntityDetail.parties.role': Object.keys(partyRoles),
  'EntityDetail.parties.kind': Object.keys(partyKinds),
  'listParties.role': Object.keys(partyRoles),
  'Export.format': exportFormats,
  'ApiPlan.id': planIds,
  'Usage.warning': usageWarnings,
  'NewMonitor.types': monitorTypes,
  'NewMonitor.fields': monitorFields,
  'MonitorUpdate.types': monitorTypes,
  'MonitorUpdate.fields': monitorFields,
  'SavedSearch.status': entityStatuses,
  'SavedSearch.activityType': ['unlicensed', 'licensed'],
  'WebhookEndpoint.disabledReason': disabledReasons,
  'CreatedWebhookEndpoint.disabledReason': disabledReasons,
  'WebhookDelivery.state': deliveryStates,
  'listWebhookDeliveries.state': deliveryStates,
  'NewCheckout.plan': planIds.filter((id) => id !== 'free'),
};

/** Every list of values, by the names of operation, schema, fields and parameters that lead to it. */
function listEnums(value: unknown, names: readonly string[] = []): [name: string, values: readonly string[]][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => listEnums(item, names));
  const { operationId, in: location, name, enum: values } = value as Record<string, unknown>;
  const here =
    typeof operationId === 'string' ? [operationId] : location === 'query' ? [...names, String(name)] : names;
  const inner = Object.entries(value).flatMap(([key, item]) =>
    key === 'properties' || key === 'schemas'
      ? Object.entries(item as object).flatMap(([field, schema]) => listEnums(schema, [...here, field]))
      : listEnums(item, here),
  );
  return Array.isArray(values) ? [[here.join('.'), values], ...inner] : inner;
}

test('every list of values in the contract is the one that the code knows', () => {
  const found = new Map(
    [...listEnums(contract.paths), ...listEnums(contract.components)].map(([name, values]) => [
      name.replace('Head.', '.').replace('.registry.', '.'),
      values,
    ]),
  );
  assert.deepEqual([...found.keys()].sort(), Object.keys(VALUES).sort());
  for (const [name, values] of found) assert.deepEqual([...values].sort(), [...(VALUES[name] ?? [])].sort(), name);
});

test('the contract names every field that a change can list', () => {
  const { description } = contract.components.schemas.Change.properties.fields;
  const names = [...description.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  for (const name of [...changedFieldNames, 'provenance']) assert.ok(names.includes(name), name);
});

test('every path with GET declares HEAD, with the same parameters, statuses and headers', () => {
  for (const [path, { get, head }] of Object.entries(paths)) {
    if (get === undefined) assert.equal(head, undefined, path);
    else {
      assert.equal(head?.operationId, `${get.operationId}Head`, path);
      assert.deepEqual(head?.parameters, get.parameters, path);
      assert.deepEqual(Object.keys(head?.responses ?? {}), Object.keys(get.responses), path);
    }
  }
});

describe('requests', () => {
  let service: TestService;
  let session: Record<string, string>;
  let key: string;
  before(async () => {
    service = await startService('sqlite');
    session = (await service.signIn()).headers;
    key = await service.findKey();
  });
  after(() => service?.[Symbol.asyncDispose]());

  /** Neither exists: the answer is 404. */
  const toUrl = (path: string) =>
    path.replace('{generation}', '1').replace(/\{\w+\}/g, '00000000-0000-5000-8000-000000000000');

  /** Operations that do not take an API key get the session. */
  const credentialsOf = ({ security }: Operation) => {
    if (security.length === 0) return {};
    return security.some((scheme) => 'apiKey' in scheme) ? { 'x-api-key': key } : session;
  };

  test('every path with GET answers HEAD with the same status and headers, without a body', async () => {
    for (const [path, { get: operation }] of Object.entries(paths)) {
      if (operation === undefined) continue;
      const headers = { ...credentialsOf(operation), 'accept-encoding': 'identity' };
      const get = await service.client.get(toUrl(path), { headers });
      const head = await service.client.request('HEAD', toUrl(path), { headers });
      assert.deepEqual([head.status, head.text], [get.status, ''], path);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'www-authenticate']) {
        // The error has the id of its request, which has the same length.
        assert.equal(head.headers.get(name), get.headers.get(name), `${path} ${name}`);
      }
    }
  });

  const EDGES = [
    '',
    '0',
    '1',
    '-1',
    '2',
    '30',
    '31',
    '100',
    '101',
    '1000',
    '1001',
    '01',
    '1.0',
    '1e2',
    '+1',
    ' 1',
    'GB',
    'gb',
    'GBR',
    'all',
    '2024-02-29',
    '2023-02-29',
    '2024-1-1',
  ];
  const TEXTS = ['a', 'é', '\0', 'a b', 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(4_000), 'x'.repeat(4_001)];
  const ajv = formats.default(new Ajv2020({ strict: false }));
  /** A text can match the pattern and still not be a cursor. A wait would take as long as it says. */
  const LEFT_OUT = ['cursor', 'wait'];

  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue;
    for (const { in: location, name, schema } of get.parameters ?? []) {
      if (location !== 'query' || LEFT_OUT.includes(name)) continue;
      const needed = get.parameters?.filter((each) => each.in === 'query' && each.required) ?? [];
      test(`${get.operationId} accepts the values of ${name} that the contract allows, and no others`, async () => {
        const isAllowed = ajv.compile(schema);
        const isNumber = schema.type === 'integer' || schema.anyOf !== undefined;
        const listed = Array.isArray(schema.enum) ? schema.enum : [];
        for (const text of [...EDGES, ...TEXTS, ...listed]) {
          const value = isNumber && /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : text;
          const url = `${toUrl(path)}?${new URLSearchParams({ ...Object.fromEntries(needed.map((each) => [each.name, 'x'])), [name]: text })}`;
          const reply = await service.client.get(url, {
            headers: { ...credentialsOf(get), accept: 'text/csv, application/json;q=0.5' },
          });
          const where = `${name}=${text.slice(0, 20)} (${text.length}): ${reply.status}`;
          if (isAllowed(value)) assert.ok(reply.status === 200 || reply.status === 404, where);
          else assert.equal(reply.status, 400, where);
        }
      });
    }
  }

  test('page=all checks pageSize and does nothing else with it, as the contract says', async () => {
    const rows = async (query: string) => {
      const { status, text } = await service.client.get(`/api/v1/entities?page=all${query}`, {
        headers: { accept: 'text/csv' },
      });
      return [status, status === 200 ? text : ''];
    };
    assert.deepEqual(await rows('&pageSize=1'), await rows(''));
    assert.equal((await rows('&pageSize=999'))[0], 400);
    const page = paths['/api/v1/entities']?.get?.parameters?.find(({ name }) => name === 'page') as object as {
      description: string;
    };
    assert.match(page.description, /`pageSize` is checked, but has no effect/);
  });

  test('texts of bodies and headers are accepted up to the length that the contract says', async () => {
    const { name } = contract.components.schemas.NewApiKey.properties;
    const post = (body: object, headers = {}) =>
      service.client.request('POST', '/api/v1/api-keys', {
        body: JSON.stringify(body),
        headers: { ...session, 'content-type': 'application/json', ...headers },
      });
    assert.equal((await post({ name: 'x'.repeat(name.maxLength) })).status, 201);
    assert.equal((await post({ name: 'x'.repeat(name.maxLength + 1) })).status, 400);
    for (const [path, operations] of Object.entries(paths)) {
      for (const { schema } of operations.post?.parameters?.filter((each) => each.in === 'header') ?? []) {
        assert.equal(schema.maxLength, 512, `${path}: 255 characters, each escaped, in quotes`);
      }
    }
    assert.equal((await post({ name: 'a' }, { 'idempotency-key': `"${'\\"'.repeat(255)}"` })).status, 201);
    assert.equal((await post({ name: 'a' }, { 'idempotency-key': 'x'.repeat(256) })).status, 400);
  });
});
