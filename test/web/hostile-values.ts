import assert from 'node:assert/strict';
import { findPlan } from '../../src/core/plans.ts';
import type { PastChange } from '../../src/journal/feed/history.ts';
import { monitorTypes } from '../../src/monitors/monitor.ts';
import type { Monitor } from '../../src/monitors/monitors.ts';
import { registers } from '../../src/registers/index.ts';
import type { RegisterState } from '../../src/registry/registry.ts';
import type { Choices } from '../../src/search/choices.ts';
import { entityListPage } from '../../src/web/pages/entity-list.ts';
import { type ExploreOutcome, explorePage } from '../../src/web/pages/explore.ts';
import type { WebhookDelivery, WebhookEndpoint } from '../../src/webhooks/endpoints.ts';

/** Returns hostile text per field and remembers it. Lower case and without `_`, because some labels are reformatted. */
export type Hostile = (field: string) => string;

export const OPENING = '<img src=x onerror=';
export const URL = 'http://127.0.0.1:3000';
export const NOW = Date.UTC(2026, 2, 15);
export const plan = findPlan('pro');

export const registerState = (hostile: Hostile): RegisterState => ({
  register: {
    ...(registers.find(({ id }) => id === 'gb') ?? assert.fail('no register gb')),
    name: hostile('register name'),
    publisher: hostile('publisher'),
    licence: hostile('licence'),
    sourceUrl: hostile('source url'),
  },
  entities: 1,
  asOf: hostile('as of'),
  importedAt: NOW,
  checkedAt: null,
  freshness: 'fresh',
  failures: 0,
  problem: null,
  synthetic: false,
});

const summary = (hostile: Hostile) => ({
  id: hostile('id'),
  countryCode: hostile('country code'),
  canonicalName: hostile('company name'),
  status: hostile('status'),
  register: hostile('register'),
  registrationNumber: hostile('number in a result'),
  city: hostile('city'),
  legalForm: hostile('legal form'),
  registeredAt: hostile('registration date'),
  updatedAt: '2026-03-15T00:00:00.000Z',
  isic: null,
  elf: null,
  legalFormClass: null,
});

export const foundPage = (hostile: Hostile) => ({
  data: [summary(hostile)],
  meta: { page: 1, pageSize: 5, pageCount: 9, total: 42 },
});

const choices = (hostile: Hostile): Choices => ({
  entities: 1,
  countries: [
    {
      code: hostile('country choice'),
      entities: 1,
      registers: [{ value: hostile('register choice'), entities: 1 }],
      // The form offers only statuses that we define.
      statuses: [],
      legalForms: [{ value: hostile('legal form choice'), entities: 1 }],
      elf: [],
      legalFormClasses: [{ value: hostile('class choice'), entities: 1 }],
      activities: { unlicensed: [{ value: hostile('activity choice'), entities: 1 }], licensed: [] },
    },
  ],
  isic: { codes: new Map([['J', 1]]), registers: new Map() },
  withElf: new Map(),
});

export const explore = (hostile: Hostile, outcome: ExploreOutcome, country?: string) =>
  explorePage({
    visitor: { name: 'Anna' },
    publicUrl: URL,
    query: {
      q: hostile('search text'),
      country,
      register: hostile('register filter'),
      status: undefined,
      legalForm: hostile('legal form filter'),
      legalFormCode: hostile('legal form code filter'),
      elf: hostile('ELF filter'),
      legalFormClass: hostile('class filter'),
      activity: hostile('activity filter'),
      activityType: 'unlicensed',
      isic: undefined,
      registeredFrom: undefined,
      registeredTo: undefined,
      sort: 'name',
      page: 1,
      pageSize: 25,
    },
    choices: choices(hostile),
    outcome,
  });

export const key = (hostile: Hostile) => ({
  id: '1',
  name: hostile('key name'),
  prefix: hostile('key prefix'),
  createdAt: NOW,
  lastUsedAt: undefined,
  expiresAt: null,
});

export const record = (hostile: Hostile) =>
  JSON.stringify({
    ...summary(hostile),
    registry: {
      [hostile('register field')]: hostile('register value'),
      nested: { [hostile('nested field')]: hostile('nested value') },
      list: [hostile('list item'), 'b'],
      table: [{ [hostile('table column')]: hostile('table cell') }],
      legalForm: { code: hostile('form code'), scheme: hostile('form scheme'), labels: { nl: hostile('form label') } },
      status: { label: hostile('status label'), code: hostile('status code'), reason: hostile('status reason') },
      address: { text: hostile('address'), [hostile('address field')]: hostile('address value') },
      capital: { amount: 1, currency: hostile('currency') },
      employees: { from: 1, code: hostile('employees code') },
      contacts: { websites: [hostile('website')], emails: [hostile('email')] },
      purpose: hostile('purpose'),
      activities: [
        { type: 'licensed', code: hostile('activity code'), label: hostile('activity'), scheme: hostile('scheme') },
      ],
      parties: [
        {
          role: hostile('role'),
          roleLabel: hostile('role label'),
          name: hostile('party'),
          [hostile('party field')]: hostile('party value'),
        },
      ],
      previousNames: [{ name: hostile('former name'), from: hostile('name from') }],
      establishments: [{ number: hostile('establishment'), address: { text: hostile('establishment address') } }],
    },
    sourceData: {
      [hostile('source column')]: hostile('source value'),
      rows: [{ [hostile('column of a list')]: hostile('value of a list') }, { other: 1 }],
    },
    registrations: [
      {
        number: hostile('registration number'),
        type: hostile('registration type'),
        authority: hostile('authority'),
        status: hostile('register status'),
        statusCode: hostile('register status code'),
        registeredAt: hostile('registered from'),
        endedAt: hostile('registered until'),
      },
    ],
    provenance: {
      register: hostile('register'),
      publisher: hostile('publisher'),
      file: hostile('file name'),
      hash: hostile('hash'),
      row: 1,
      importedAt: '2026-03-15T00:00:00.000Z',
      sourceUrl: hostile('source url'),
      licence: hostile('licence'),
      files: [
        { file: hostile('first file'), entry: hostile('entry'), rows: [{ first: hostile('first row'), last: 2 }] },
        { file: hostile('second file'), entry: null, rows: [] },
      ],
    },
    related: [{ ...summary(() => 'harmless'), canonicalName: hostile('related name') }],
  });

export const pastChange = (hostile: Hostile): PastChange => {
  const values = (when: string) => ({
    canonicalName: hostile(`name ${when}`),
    status: hostile(`status ${when}`),
    legalForm: hostile(`legal form ${when}`),
    registeredAt: hostile(`date ${when}`),
  });
  return {
    change: {
      cursor: 'x',
      type: 'changed',
      occurredAt: '2026-03-15T00:00:00.000Z',
      entityId: 'x',
      countryCode: 'GB',
      register: 'gb',
      fields: ['canonicalName', 'status', 'legalForm', 'registeredAt'],
      before: values('before'),
      after: values('after'),
      details: [
        {
          field: `registry.${hostile('changed field')}`,
          before: hostile('detail before'),
          after: JSON.stringify({ name: hostile('name of a changed item') }),
        },
      ],
    },
    file: hostile('file of a change'),
  };
};

export const listView = { visitor: { name: 'Anna' }, id: 'x', page: 1, left: 1 };

export const list = (hostile: Hostile, pointer: string) =>
  entityListPage({
    ...listView,
    pointer,
    list: {
      head: { canonicalName: hostile('name') },
      items: [{ number: hostile('item'), [hostile('key')]: [{ inner: hostile('inner value') }] }],
      total: 1_000,
    },
  }).text;

/** Monitors, endpoints and deliveries whose texts are hostile. */
export const scope = { types: monitorTypes, fields: null };
export const monitor = (hostile: Hostile): Monitor => ({
  id: 'm',
  name: hostile('name of a monitor'),
  search: null,
  ...scope,
  entities: 1,
  cursor: 'x',
  hasFeed: true,
  problem: null,
  createdAt: NOW,
});
export const endpoint = (hostile: Hostile, description: string | null = null): WebhookEndpoint => ({
  id: 'e',
  accountId: 'a',
  url: hostile('address of a receiver'),
  description,
  monitorIds: null,
  previousEndsAt: NOW,
  position: 0,
  disabledReason: 'failing',
  disabledAt: NOW,
  createdAt: NOW,
});
export const delivery = (hostile: Hostile): WebhookDelivery => ({
  id: hostile('id of a delivery'),
  endpointId: 'e',
  position: 1,
  type: hostile('type of an event'),
  payload: '{}',
  units: 1,
  state: 'waiting',
  attempts: 1,
  attemptLog: JSON.stringify([
    { at: NOW, status: null, reason: hostile('reason'), body: hostile('answer'), tookMs: 1 },
  ]),
  nextAt: NOW,
  chargedPeriod: null,
  chargedDay: null,
  sentAt: null,
  createdAt: NOW,
  deliveredAt: null,
});
