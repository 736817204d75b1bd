import Type from 'typebox';
import { fail } from '../base/errors.ts';
import { absenceReasons, heldAsTexts, interestTypes, listedPartyKinds, partyRoles } from '../registers/vocabulary.ts';
import { coverages, MAX_PARTIES } from '../registry/parties/parties.ts';
import { endReasons, MAX_LINKS, MAX_NODES } from '../registry/parties/walk.ts';
import { EntityParameters, hash } from './entity.ts';
import {
  choice,
  component,
  count,
  day,
  flag,
  listMeanings,
  listOf,
  nullable,
  object,
  orNull,
  parametersOf,
  text,
} from './fields.ts';
import { dataOperation } from './serving/data-operation.ts';

const oneOf = (description: string, values: Readonly<Record<string, string>>, example: string) =>
  text(`${description}: ${listMeanings(values)}. New values may be added.`, example);

const percent = (description: string) => Type.Optional(Type.Number({ description }));

const Interest = component('Interest', 'What a party holds of a company.', {
  type: oneOf('Kind', interestTypes, 'consolidation'),
  share: orNull.object('In percent. `null` if it is not published.', {
    exact: percent('The share, if it is published exactly.'),
    min: percent('The smallest share of a range.'),
    max: percent('The largest share of a range.'),
  }),
  heldAs: nullable(
    oneOf('How it is held. `null` if in its own right, or if it is not published', heldAsTexts, 'firm_member'),
  ),
});

const source = object('The row that says so.', {
  file: text('Name of the file.', 'gleif-goldencopy-rr-golden-copy.csv.zip'),
  hash: { ...hash, examples: ['sha256:1e7265d46b8d5cd9effb8270188ecbc8d72b130615de60e35c19483aff1a24d6'] },
  row: count('Row of the file, starting at 1.', 184_467),
});

const role = oneOf('Role', partyRoles, 'parent');
const roleText = text('The role as the source writes it.', 'IS_DIRECTLY_CONSOLIDATED_BY');
const interests = listOf(Interest, 'Empty if the source says nothing about shares or control.');
const from = orNull.day('First day. `null` if it is not published.', '2019-01-01');
const until = orNull.day('Last day. `null` if it is not published or has not come.', '2024-12-31');
const coverage = oneOf('Whether the answer says something about this company', coverages, 'available');
const register = text('Identifier of the register that the record comes from.', 'gleif');

const Party = component('Party', 'A person or organisation connected with a company.', {
  role,
  roleText,
  kind: oneOf('Kind', listedPartyKinds, 'organisation'),
  name: orNull.text(
    'Name, from the source, or else from the record of the party. `null` if neither has one.',
    'Beta Holding GmbH',
  ),
  entityId: orNull.uuid('The record of the party, found by register and number. `null` if there is none here.'),
  number: orNull.text('Number of the party, as the source writes it.', '5493001Z012YSB2A0K51'),
  countryCode: orNull.text('Country of the party (ISO 3166-1 alpha-2).', 'DE'),
  interests,
  from,
  until,
  current: flag('Whether it is in force, according to the source.', true),
  absence: orNull.object('Set if the source says that there is no such party, or that it is not named.', {
    reason: oneOf('Reason', absenceReasons, 'persons'),
    text: text('The reason as the source writes it.', 'NATURAL_PERSONS'),
  }),
  source,
  sourceData: Type.Unknown({
    description:
      'Every field of the row, exactly as published. Fields that are not stored say `withheld` and the reason.',
    examples: [{ 'Relationship.RelationshipType': 'IS_DIRECTLY_CONSOLIDATED_BY' }],
  }),
});

const PartyList = component('PartyList', 'The parties of a company.', {
  data: Type.Array(Party, { maxItems: MAX_PARTIES }),
  meta: Type.Object({
    total: count('Exact number of parties, also if the list is shorter.', 2),
    withheld: orNull.count('How many persons are left out of the data at their request.', 0),
    truncated: flag(`Whether the list was cut after ${MAX_PARTIES} parties.`, false),
    register,
    coverage,
  }),
});

const OwnershipNode = component('OwnershipNode', 'A company of a group.', {
  node: count('Its number in this answer. The company that was asked for is 0.', 1),
  depth: count('How many links lead to it from the company that was asked for, at least.', 1),
  register,
  number: orNull.text('Its number in the register.', '5493001Z012YSB2A0K51'),
  entityId: orNull.uuid('Its record. `null` if it is not here.'),
  name: orNull.text('Its name. `null` if its record is not here.', 'Beta Holding GmbH'),
  countryCode: orNull.text('Its jurisdiction (ISO 3166-1 alpha-2).', 'DE'),
  status: orNull.text('Its normalized status, as in its record.', 'active'),
  end: orNull.object('Why the chain ends here. `null` if it goes on, and at companies without holdings.', {
    reason: oneOf('Reason', endReasons, 'person'),
    text: orNull.text('The reason as the source writes it.', 'NATURAL_PERSONS'),
  }),
});

const OwnershipLink = component('OwnershipLink', 'One company owns or controls another.', {
  company: count('`node` of the company that is owned.', 0),
  party: count('`node` of the company that owns it.', 1),
  role,
  roleText,
  interests,
  from,
  until,
  inCycle: flag(
    'Whether the link is part of a cycle: both companies own each other, directly or through others.',
    false,
  ),
  source,
});

const OwnershipReply = component('OwnershipReply', 'Companies and the links between them.', {
  data: Type.Object({
    nodes: listOf(OwnershipNode, 'Each company once, the nearest ones first.', undefined, { maxItems: MAX_NODES }),
    links: Type.Array(OwnershipLink, { maxItems: MAX_LINKS }),
  }),
  meta: Type.Object({
    nodes: count('Number of companies in this answer, including the one that was asked for.', 3),
    links: count('Number of links in this answer.', 2),
    cyclicLinks: count('Number of links that are part of a cycle.', 0),
    truncated: flag(
      `Whether companies or links were left out: an answer has at most ${MAX_NODES} companies and ${MAX_LINKS} links.`,
      false,
    ),
    register,
    coverage,
  }),
});

const PartyParameters = parametersOf({
  role: choice(Object.keys(partyRoles) as (keyof typeof partyRoles)[], 'Only parties with this role.'),
  at: day('The parties of that day. Without it, those that are in force according to the source.', '2024-12-31', {
    errorMessage: 'must be a day such as 2024-12-31',
  }),
});

const MAX_DEPTH = 10;
const OwnershipParameters = parametersOf({
  depth: count('How many levels to follow.', 3, { minimum: 1, maximum: MAX_DEPTH, default: MAX_DEPTH }),
});

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

/** Operations on the owners of a company and on what it owns. A 304 must not hide that a company does not exist, so none has a `version`. */
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
          const counts = {
            nodes: nodes.length,
            links: links.length,
            cyclicLinks: links.filter((link) => link.inCycle).length,
          };
          const body = { data: { nodes, links }, meta: { ...counts, truncated, register, coverage } };
          return { version, body: JSON.stringify(body) };
        },
    }),
  ),
];
