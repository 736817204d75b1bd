/** Slovakia: the register of legal persons, entrepreneurs and public bodies (RPO), in JSON with the history of every value. */
import { EUROPEAN_STYLE } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { defineRegister } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { histories, treeFields } from '../fields.ts';
import { linkByNumber, readRecordParty } from '../mapped.ts';
import { joinFilled, type Tree, textOf, treesOf } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownInference, ownNumber, ownStatus } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';

const { text, day, amount, number, first, group, groupWith, each, at, itemsOf, ...fields } = treeFields();
const { parsed, replaced, listOf, joinLists, activity, address, coded, knownStatus, gravest, countryCode, lookup } =
  fields;
const { isCurrent, current, latest, listLatest } = histories('validFrom', 'validTo');
const lists = readCodeLists('sk');
const PUBLISHER = 'Štatistický úrad Slovenskej republiky';

/** The check digit is 11 less the remainder; 10 is written as 0, and 11 as 1. */
const isValidNumber = checkLastDigit([8, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 10);
const readNumber = number('value', /^\d{8}$/, 'not an IČO');
const readCountryName = text('country.value');
const readCountry = countryCode('country.value', 'sk');
const readCoded = coded('value.code', 'value.value');
const readStatus = groupWith(['status'], {
  status: knownStatus('value.code', lists.meanings('status')),
  code: text('value.code'),
  label: text('value.value'),
  since: text('validFrom'),
});
/** Without a legal status, only an end date shows that an entity has ceased to exist. */
const ACTIVE = { status: 'active', inferredFrom: 'termination' } as const;
const CITY_DISTRICT = /^(Bratislava|Košice) - (?:mestská časť )?(.+)$/;
const readAddress = address(
  group({
    street: text('street'),
    // The number in the municipality, or 0 if the municipality assigns no number, and the number in the street.
    number: (tree) => joinFilled([textOf(tree, 'regNumber').replace(/^0$/, ''), textOf(tree, 'buildingNumber')], '/'),
    district: parsed((written) => CITY_DISTRICT.exec(written)?.[2], '')('municipality.value'),
    postCode: (tree) => String([tree.postalCodes].flat()[0] ?? '').replace(/^(\d{3})(\d{2})$/, '$1 $2'),
    city: replaced('municipality.value', CITY_DISTRICT, '$1'),
    country: (...row) => (readCountry(...row) === 'SK' ? null : readCountryName(...row)),
    countryCode: readCountry,
  }),
  EUROPEAN_STYLE,
);

const readRole = lookup('stakeholderType.value', lists.meanings<PartyOf['role']>('role'));
/** A person has a `personName`, an organisation a `fullName`. */
const party = (role: PartyOf['role']) =>
  groupWith(['role', 'name'], {
    role: first(readRole, () => role),
    roleLabel: text('stakeholderType.value'),
    kind: ({ personName }) => (personName === undefined ? 'organisation' : 'person'),
    name: first(text('personName.formatedName'), text('fullName')),
    number: text('identifier'),
    from: day('validFrom'),
    countryCode: readCountry,
  });
/** The reasons why a person owns the entity are a list with periods. The latest reason is merged into the owner. */
const listOwners = (tree: Tree) =>
  treesOf(tree, 'kuvPersonsInfo').map((owner): Tree => ({ ...listLatest(owner, 'kuvInfo')[0], ...owner }));
const listPurposes = each(current('activities'), text('economicActivityDescription'));
const otherCompany = group({ number: text('identifier'), name: text('fullName') });

const mapEntity = describeRecord<Tree, unknown>({
  // Answers of the API about entities that have ceased to exist may have no names.
  name: latest('fullNames', text('value')),
  substitute: latest('identifiers', text('value')),
  number: latest('identifiers', (tree, ...row) => (tree.value === 'Neuvedené' ? null : readNumber(tree, ...row))),
  registeredAt: day('establishment'),
  endedAt: day('termination'),
  status: first(gravest(each(current('legalStatuses'), readStatus)), () => ACTIVE),
  legalForm: latest('legalForms', readCoded),
  registrations: [
    ownNumber(PUBLISHER, isValidNumber),
    at('sourceRegister', otherNumber(PUBLISHER, 'other', latest('registrationNumbers', text('value')))),
  ],
  activities: at(
    'statisticalCodes.mainActivity',
    listOf(
      activity('SK NACE', 'code', {
        label: text('value'),
        edition: lookup('codelistCode', lists.labels('edition')),
        main: true,
      }),
    ),
  ),
  registry: {
    status: ownStatus,
    statusInferredFrom: ownInference,
    endedAt: ownEnd,
    recordId: text('id'),
    sourceRegister: at('sourceRegister', readCoded),
    registryOffice: at('sourceRegister', latest('registrationOffices', text('value'))),
    previousNames: each(
      (tree) => listLatest(tree, 'fullNames').slice(1),
      groupWith(['name'], { name: text('value'), from: day('validFrom'), until: day('validTo') }),
    ),
    address: latest('addresses', readAddress),
    purpose: (...row) => listPurposes(...row)?.join('\n') ?? null,
    sector: at('statisticalCodes.esa2010', coded('code', 'value')),
    capital: latest('equities', group({ amount: amount('value'), currency: text('currency.code') })),
    parties: joinLists(
      each(current('statutoryBodies'), party('director')),
      each(current('stakeholders'), party('other')),
      each((tree) => listOwners(tree).filter(isCurrent), party('beneficial_owner')),
    ),
    predecessors: each(itemsOf('predecessors'), otherCompany),
    successors: each(itemsOf('successors'), otherCompany),
    updatedAt: day('dbModificationDate'),
  },
});

export const sk = defineRegister({
  id: 'sk',
  trees: { entities: { map: mapEntity } },
  numbers: [{ kind: 'IČO', form: /^\d{8}$/, check: isValidNumber }],
  recordParties: (party) => readRecordParty(party, linkByNumber(party, 'sk', /^\d{8}$/)),
});
