import Type from 'typebox';
import { fail } from '../../core/errors.ts';
import type { Registry } from '../../registry/registry.ts';
import { SearchParameters, toSearchQuery } from '../../search/parameters.ts';
import type { Search } from '../../search/search.ts';
import type { App } from '../app-type.ts';
import { type DataGate, registerDataRoute } from '../data-route.ts';
import { EntityDetail } from '../entity-detail.ts';
import { EntityPage } from '../schemas.ts';

export interface EntityServices {
  readonly search: Pick<Search, 'find' | 'version'>;
  readonly registry: Pick<Registry, 'findEntity'>;
}

export const EntityParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    errorMessage: 'must be a UUID: use the "id" of a search result, 36 characters including hyphens',
    description: 'The `id` of a search result. Case is ignored.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
});

export function registerEntities(app: App, { search, registry }: EntityServices, gate: DataGate): void {
  registerDataRoute(app, gate, {
    url: '/api/v1/entities',
    operation: {
      operationId: 'searchEntities',
      summary: 'Search companies',
      description:
        'Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and then by id. ' +
        '`total` is exact on every page. A page after the last one is empty. Unknown parameters are rejected, not ignored.',
    },
    querystring: SearchParameters,
    success: { description: 'One page of results.', schema: EntityPage },
    version: () => search.version(),
    answer: (parameters, { caller, deadline }) => search.find(toSearchQuery(parameters), caller.accountId, deadline),
  });

  registerDataRoute(app, gate, {
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
