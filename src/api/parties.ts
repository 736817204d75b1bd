import { fail } from '../base/errors.ts';
import { EntityParameters } from './entities.ts';
import { OwnershipParameters, OwnershipReply, PartyList, PartyParameters } from './schemas/parties.ts';
import { dataOperation } from './serving/data-operation.ts';

const MAX_DEPTH = 10;

const WALKS = [
  {
    direction: 'owners',
    operationId: 'listOwners',
    summary: 'Follow the owners of a company',
    description:
      'Returns the companies above a company: its parents, their parents and so on, and why each chain ends.',
  },
  {
    direction: 'holdings',
    operationId: 'listHoldings',
    summary: 'Follow the holdings of a company',
    description:
      'Returns the companies below a company: those that name it as an owner, parent or head office, and so on.',
  },
] as const;

/** Who owns a company and what it owns. A 304 must not hide that there is no such company, so none of them has a `version`. */
export const parties = [
  dataOperation({
    url: '/api/v1/entities/:id/parties',
    operationId: 'listParties',
    summary: 'List the parties of a company',
    description:
      'Returns who is connected with a company according to its register: owners, managers of funds, or the reason why none is ' +
      'named, each with the row that says so. Natural persons are named as published, unless the operator leaves them out. See [owners and holdings](/docs/parties).',
    params: EntityParameters,
    querystring: PartyParameters,
    success: { description: 'The parties.', schema: PartyList },
    codes: ['entity_not_found'],
    answer:
      ({ registry }) =>
      async ({ id, role, at }) => {
        const found = await registry.parties.list(id.toLowerCase(), { role, at });
        if (found === undefined) throw fail('entity_not_found');
        const { version, register, coverage, total, withheld, parties: data } = found;
        const meta = { total, truncated: total > data.length, withheld, register, coverage };
        return { version, body: JSON.stringify({ data, meta }) };
      },
  }),
  ...WALKS.map(({ direction, description, ...texts }) =>
    dataOperation({
      ...texts,
      url: `/api/v1/entities/:id/${direction}`,
      description: `${description} Cycles are marked. See [owners and holdings](/docs/parties).`,
      params: EntityParameters,
      querystring: OwnershipParameters,
      success: { description: 'The companies and links.', schema: OwnershipReply },
      codes: ['entity_not_found'],
      answer:
        ({ registry }) =>
        async ({ id, depth = MAX_DEPTH }, { caller: { accountId }, deadline }) => {
          const found = await registry.parties.walk(id.toLowerCase(), direction, depth, accountId, deadline);
          if (found === undefined) throw fail('entity_not_found');
          const { version, register, coverage, nodes, links, truncated } = found;
          const counts = { nodes: nodes.length, links: links.length, cyclicLinks: links.filter(isCyclic).length };
          const body = { data: { nodes, links }, meta: { ...counts, truncated, register, coverage } };
          return { version, body: JSON.stringify(body) };
        },
    }),
  ),
];

function isCyclic({ inCycle }: { readonly inCycle: boolean }): boolean {
  return inCycle;
}
