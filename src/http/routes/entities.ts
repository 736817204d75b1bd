import Type from 'typebox';
import { fail } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Registry } from '../../registry/registry.ts';
import { readSearchQuery } from '../../search/read-query.ts';
import type { Search } from '../../search/search.ts';
import type { App } from '../app-type.ts';
import { type DataGate, registerDataRoute } from '../data-route.ts';
import { EntityDetail, EntityPage } from '../schemas.ts';
import { SearchParameters } from '../search-query.ts';

export interface EntityServices {
  readonly search: Search;
  readonly registry: Pick<Registry, 'findEntity'>;
}

export function registerEntities(app: App, { search, registry }: EntityServices, gate: DataGate): void {
  registerDataRoute(app, gate, {
    url: '/api/v1/entities',
    operation: {
      operationId: 'searchEntities',
      summary: 'Search companies',
      description:
        'Companies that match all given filters, sorted by name and then by id. `total` is exact on every page; a page ' +
        'past the last one is empty. Unknown parameters are refused, never ignored.',
    },
    parameters: { place: 'querystring', schema: SearchParameters, read: readSearchQuery },
    success: { description: 'One page of results.', schema: EntityPage },
    version: () => ready(search).version(),
    answer: (query) => ready(search).find(query),
  });

  registerDataRoute(app, gate, {
    url: '/api/v1/entities/:id',
    operation: {
      operationId: 'getEntity',
      summary: 'One company',
      description:
        'The full record: normalized fields, typed national fields, every field of the source as it was written, ' +
        'registrations, and the file the record comes from.',
    },
    parameters: { place: 'params', schema: EntityParameters, read: ({ id = '' }) => readEntityId(id) },
    success: { description: 'The record.', schema: Type.Object({ data: EntityDetail }, { $id: 'EntityReply' }) },
    codes: ['entity_not_found'],
    // No version in advance: whether there is such a record has to be asked anyway, or a 304 could hide a 404.
    async answer(id) {
      const entity = await registry.findEntity(id);
      if (entity === undefined) throw fail('entity_not_found');
      return { version: entity.version, body: `{"data":${entity.text}}` };
    },
  });
}

/** After a start there is nothing to answer from until the index is there. */
function ready(search: Search): Search {
  if (search.isReady()) return search;
  throw fail('service_unavailable', { message: 'Search is getting ready: try again shortly.', retryAfter: 1 });
}

const EntityParameters = Type.Object({
  id: Type.String({
    format: 'uuid',
    description: 'The `id` of a search result, in either case.',
    examples: ['8cfb7733-0cb1-511b-8310-bbbf2455fb10'],
  }),
});

function readEntityId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  const message = 'The id in the path is not a UUID: take the "id" of a search result, 36 characters with its hyphens.';
  throw fail('invalid_request', { message });
}
