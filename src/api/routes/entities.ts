import Type from 'typebox';
import { fail } from '../../base/errors.ts';
import type { Routes } from '../../http/app.ts';
import { SearchParameters } from '../../search/parameters.ts';
import type { SearchReply } from '../../search/search.ts';
import { pageHeaders } from '../answers.ts';
import type { AppServices } from '../app-services.ts';
import type { DataContent, DataOperation, NoParameters } from '../charged/operation.ts';
import { writePageLinks } from '../charged/page-links.ts';
import { addTrial, type Charging, registerDataRoute } from '../charged/route.ts';
import { EntitySearchParameters, readQuery, resultFileTypes, toFile } from '../charged/search-files.ts';
import { EntityDetail } from '../schemas/entity-detail.ts';
import { EntityPage } from '../schemas/schemas.ts';
import { createWholeResults } from './whole-results.ts';

export const EntityParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a search result, 36 characters including hyphens',
    description: 'The `id` of a search result. Case is ignored.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
});

export function registerEntities(app: Routes, services: AppServices, charging: Charging): void {
  const { search, registry } = services;

  const searching: DataOperation<NoParameters, typeof SearchParameters> = {
    url: '/api/v1/entities',
    operation: {
      operationId: 'searchEntities',
      summary: 'Search companies',
      description:
        'Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and then by id. ' +
        '`total` is exact on every page. A page after the last one is empty. Unknown parameters are rejected, not ignored. ' +
        '`Accept` chooses the [format](/docs/paging#results-as-files): JSON, CSV or NDJSON.',
    },
    querystring: SearchParameters,
    success: {
      description: 'One page of results, or with `page=all` the whole result.',
      schema: EntityPage,
      files: resultFileTypes,
      headers: ['Link', ...pageHeaders],
    },
    namesSnapshot: true,
    codes: ['plan_required', 'insufficient_quota', 'concurrency_limit_exceeded'],
    version: () => search.version(),
    answer(parameters, { caller, deadline, format }) {
      const query = readQuery(parameters);
      const found = search.find(query, caller.accountId, deadline);
      const write = ({ version, body, total }: SearchReply): DataContent => {
        const link = writePageLinks(parameters, { page: query.page, pageSize: query.pageSize, total });
        return format === 'json' ? { version, body, link } : { ...toFile({ version, body }, format), link };
      };
      return found instanceof Promise ? found.then(write) : write(found);
    },
  };
  // The whole result is another operation of the same path.
  const wholeResults = createWholeResults(services, charging);
  registerDataRoute(app, charging, { ...searching, querystring: EntitySearchParameters }, wholeResults);
  // A page shows no whole result.
  addTrial(charging, searching);

  registerDataRoute(app, charging, {
    url: '/api/v1/entities/:id',
    operation: {
      operationId: 'getEntity',
      summary: 'Retrieve a company',
      description:
        'Returns the full record: normalized fields, typed national fields, every field of the source exactly as published, ' +
        'registrations, and the file that the record comes from.',
    },
    params: EntityParameters,
    success: { description: 'The record.', schema: Type.Object({ data: EntityDetail }, { $id: 'EntityReply' }) },
    codes: ['entity_not_found'],
    // No `version`: the record has to be looked up anyway, because a 304 must not hide that it does not exist.
    async answer({ id }) {
      const entity = await registry.findEntity(id.toLowerCase());
      if (entity === undefined) throw fail('entity_not_found');
      return { version: entity.version, body: entity.content };
    },
  });
}
