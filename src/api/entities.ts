import Type from 'typebox';
import { fail } from '../base/errors.ts';
import { SearchParameters } from '../search/parameters.ts';
import type { SearchReply } from '../search/search.ts';
import { EntityDetail } from './schemas/entity-detail.ts';
import { EntityPage } from './schemas/schemas.ts';
import { pageHeaders } from './serving/answers.ts';
import { type DataContent, dataOperation } from './serving/data-operation.ts';
import { writePageLinks } from './serving/page-links.ts';
import { EntitySearchParameters, readQuery, resultFileTypes, toFile } from './serving/search-files.ts';
import { createWholeResults } from './whole-results.ts';

export const EntityParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a search result, 36 characters including hyphens',
    description: 'The `id` of a search result. Case is ignored.',
    examples: ['d5563039-853c-5a0c-a623-fa282b839bef'],
  }),
});

export const entities = [
  dataOperation({
    url: '/api/v1/entities',
    operationId: 'searchEntities',
    summary: 'Search companies',
    description:
      'Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and then by id. ' +
      '`total` is exact on every page. A page after the last one is empty. Unknown parameters are rejected, not ignored. ' +
      '`Accept` chooses the [format](/docs/paging#results-as-files): JSON, CSV or NDJSON.',
    querystring: EntitySearchParameters,
    // A page of the portal shows no whole result.
    formQuery: SearchParameters,
    success: {
      description: 'One page of results, or with `page=all` the whole result.',
      schema: EntityPage,
      files: resultFileTypes,
      headers: ['Link', ...pageHeaders],
    },
    namesSnapshot: true,
    codes: ['plan_required', 'insufficient_quota', 'concurrency_limit_exceeded'],
    version: ({ search }) => search.version(),
    answer:
      ({ search }) =>
      (parameters, { caller, deadline, format }) => {
        const query = readQuery(parameters);
        const found = search.find(query, caller.accountId, deadline);
        const write = ({ version, body, total }: SearchReply): DataContent => {
          const link = writePageLinks(parameters, { page: query.page, pageSize: query.pageSize, total });
          return format === 'json' ? { version, body, link } : { ...toFile({ version, body }, format), link };
        };
        return found instanceof Promise ? found.then(write) : write(found);
      },
    instead: createWholeResults,
  }),
  dataOperation({
    url: '/api/v1/entities/:id',
    operationId: 'getEntity',
    summary: 'Retrieve a company',
    description:
      'Returns the full record: normalized fields, typed national fields, every field of the source exactly as published, ' +
      'registrations, and the file that the record comes from.',
    params: EntityParameters,
    success: { description: 'The record.', schema: Type.Object({ data: EntityDetail }, { $id: 'EntityReply' }) },
    codes: ['entity_not_found'],
    // No `version`: the record has to be looked up anyway, because a 304 must not hide that it does not exist.
    answer:
      ({ registry }) =>
      async ({ id }) => {
        const entity = await registry.findEntity(id.toLowerCase());
        if (entity === undefined) throw fail('entity_not_found');
        return { version: entity.version, body: entity.content };
      },
  }),
];
