import Type, { type Static } from 'typebox';
import { MAX_NAME_LENGTH } from '../../base/storable.ts';
import { SearchParameters } from '../../search/parameters.ts';
import { monitorFields, monitorTypes } from '../../watch/monitors/monitor.ts';
import { ChangeParameters } from '../changes.ts';
import { listMeanings, nullable } from '../fields.ts';

/** The shapes and parameters of monitors. */

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
export type GivenReference = Static<typeof CompanyReference>;

const companies = (what: string) =>
  Type.Array(CompanyReference, {
    maxItems: MAX_REFERENCES,
    errorMessage: `must be a list of up to ${MAX_REFERENCES} companies, each an id or an object with "countryCode" and "registrationNumber"`,
    description: `Companies to ${what}, at most ${MAX_REFERENCES} per request: ids, or countries and registration numbers.`,
  });

export const NewMonitor = Type.Object(
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

export const EntityChanges = Type.Object(
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

export const MonitorReply = Type.Object({ data: Monitor }, { $id: 'MonitorReply' });

export const CreatedMonitorReply = Type.Object(
  { data: Monitor, meta: Type.Object({ notFound: NotFound }) },
  { $id: 'CreatedMonitorReply' },
);

export const UpdatedMonitorReply = Type.Object(
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

export const MonitorList = Type.Object(
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

export const EntitiesChangedReply = Type.Object(
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

export const MonitorEntityList = Type.Object(
  {
    data: Type.Array(Type.String({ format: 'uuid' }), { description: 'Ids of companies, in order.' }),
    meta: Type.Object({
      next: nullable(Type.String({ description: 'Send it as `after` to continue. `null` at the end.' })),
    }),
  },
  { $id: 'MonitorEntityList' },
);

export const MonitorParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a monitor, 36 characters including hyphens',
    description: 'The `id` of a monitor.',
  }),
});

export const EntityListParameters = Type.Object(
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
export const MonitorChangeParameters = Type.Object({ cursor: start, limit, wait }, { additionalProperties: false });
