import assert from 'node:assert/strict';
import { test } from 'node:test';
import { be } from '../../../src/registers/be/register.ts';
import type { TableSource } from '../../../src/registers/contract.ts';
import type { AddressOf, TypedAddressOf } from '../../../src/registers/vocabulary.ts';
import { mapRow, type Row } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const enterprise = be.sources.find(({ name }) => name === 'enterprise') as TableSource<unknown>;
const row = {
  EnterpriseNumber: '0200.065.765',
  Status: 'AC',
  JuridicalSituation: '000',
  TypeOfEnterprise: '2',
  JuridicalForm: '610',
  StartDate: '09-08-1960',
};
const text = (Category: string, Code: string, Description: string) => ({
  Category,
  Code,
  Language: 'NL',
  Description,
});
const codes = be.readCodes(
  new Map([
    [
      'code',
      [
        text('JuridicalForm', '610', 'Besloten vennootschap'),
        text('Nace2025', '68121', 'Ontwikkeling van bouwprojecten'),
      ],
    ],
  ]),
);
type Rows = Readonly<Record<string, Row[]>>;
const map = (changes: Row = {}, rows: Rows = {}) => mapRow(enterprise, { ...row, ...changes }, { codes, rows });

/** Addresses of the same enterprise, in the columns of the published file. */
const seat = {
  EntityNumber: '0200.065.765',
  TypeOfAddress: 'REGO',
  Zipcode: '1000',
  MunicipalityNL: 'Brussel',
  MunicipalityFR: 'Bruxelles',
  StreetNL: 'Wetstraat',
  StreetFR: 'Rue de la Loi',
  HouseNumber: '16',
  Box: '4',
};
const oldest = { ...seat, TypeOfAddress: 'OBAD', StreetNL: 'Stropstraat', StreetFR: 'Stropstraat', Box: '' };

test('the status follows from the text of the situation, in any language', () => {
  const situations = [
    ['Création juridique', 'active'],
    ['Verlenging', 'active'],
    ['juristische Gründung', 'active'],
    ['Dissolution volontaire - liquidation', 'in_liquidation'],
    ['Ontbinding', 'in_liquidation'],
    ['Auflösung', 'in_liquidation'],
    ['Ouverture de faillite', 'insolvent'],
    ['Opening faillissement', 'insolvent'],
    ['Konkurseröffnung', 'insolvent'],
    ['Réorganisation judiciaire', 'insolvent'],
    ['Gerichtliche Reorganisation', 'insolvent'],
    ['Clôture de faillite', 'dissolved'],
    ['Sluiting van vereffening', 'dissolved'],
    ['Abschluss des Konkurses', 'dissolved'],
    ['Révocation de la dissolution', 'unknown'],
    ['Widerruf des Konkurses', 'unknown'],
    ['Fusion par absorption', 'unknown'],
    ['Splitsing', 'unknown'],
    ['Activiteitstopzetting in België', 'dissolved'],
    ['Cessation des activités en Belgique', 'dissolved'],
    ['Stopzetting wegens vervanging van het ondernemingsnummer', 'dissolved'],
    ["Arrêt pour remplacement du numéro d'entreprise", 'dissolved'],
    ['Vervanging van het ondernemingsnummer', 'active'],
    ['Geannuleerd dossier', 'dissolved'],
    ['Faillissement gesloten', 'dissolved'],
    ['Voorlopige opschorting', 'insolvent'],
    ['Sursis définitif', 'insolvent'],
  ] as const;
  for (const [Description, status] of situations) {
    const label = { Category: 'JuridicalSituation', Code: '099', Language: '', Description };
    const codes = be.readCodes(new Map([['code', [label]]]));
    const { record } = mapRow(enterprise, { ...row, JuridicalSituation: '099' }, { codes });
    assert.equal(record.status, status, Description);
  }
  assert.equal(map({ Status: 'ST' }).record.status, 'inactive');
});

test('situations, states, legal forms and activities that the code table does not explain are reported as unknown', () => {
  const unknown = (changes: Row, rows = {}) => {
    const { record, reports } = map(changes, rows);
    return [record.status, ...reports];
  };
  assert.deepEqual(unknown({ Status: 'XX' }), ['unknown', ['status', 'Status', 'XX']]);
  assert.deepEqual(unknown({ JuridicalSituation: '777' }), ['unknown', ['status', 'JuridicalSituation', '777']]);
  assert.deepEqual(unknown({ JuridicalForm: '999' }), ['active', ['legalForm', 'JuridicalForm', '999']]);
  const activity = [{ EntityNumber: '0200.065.765', NaceVersion: '2025', NaceCode: '00000' }];
  assert.deepEqual(unknown({}, { activity }), ['active', ['activity', 'NaceCode', '2025/00000']]);
  const other = { Category: 'JuridicalSituation', Code: '099', Language: 'NL', Description: 'Iets anders' };
  const { reports } = mapRow(
    enterprise,
    { ...row, JuridicalSituation: '099' },
    { codes: be.readCodes(new Map([['code', [other]]])) },
  );
  assert.deepEqual(reports, [['listedStatus', 'JuridicalSituation', '099']], 'a text that no rule covers');
});

test('names have a type and a language; an official name in a second language is a translation', () => {
  const named = (Language: string, TypeOfDenomination: string, Denomination: string) => ({
    EntityNumber: '0200.065.765',
    Language,
    TypeOfDenomination,
    Denomination,
  });
  const { record } = map(
    {},
    {
      denomination: [
        named('1', '003', 'Hibou'),
        named('2', '001', 'Uilennest'),
        named('1', '001', 'Nid du hibou'),
        named('2', '001', 'Nest'),
        named('4', '009', 'Owl'),
      ],
    },
  );
  assert.deepEqual([record.canonicalName, record.registry.nameLanguage], ['Uilennest', 'nl']);
  assert.deepEqual(record.registry.otherNames, [
    { name: 'Nid du hibou', type: 'translation', language: 'fr' },
    { name: 'Nest', type: 'other', language: 'nl', typeCode: '001' },
    { name: 'Hibou', type: 'trading', language: 'fr' },
    { name: 'Owl', type: 'other', language: 'en', typeCode: '009' },
  ]);
  const branch = map({}, { denomination: [named('0', '004', 'Filiaal')] }).record;
  assert.deepEqual([branch.canonicalName, branch.registry.nameTypeCode], ['Filiaal', '004']);
});

test('a box is "bus" in Dutch and "bte" in French; other contact types keep their type', () => {
  const walloon = {
    Zipcode: '1400',
    MunicipalityNL: '',
    MunicipalityFR: 'Nivelles',
    StreetNL: '',
    StreetFR: 'Rue Haute',
  };
  const address = [{ ...seat, ...walloon }];
  const contact = [{ EntityNumber: '0200.065.765', ContactType: 'SOC', Value: '@uil' }];
  const { registry } = map({}, { address, contact }).record;
  assert.equal((registry.address as AddressOf).text, 'Rue Haute 16 bte 4, 1400 Nivelles');
  assert.equal((registry.address as AddressOf).textFr, undefined);
  assert.deepEqual(registry.contacts, { other: [{ type: 'SOC', value: '@uil' }] });
});

test('an address that is not struck off comes before the seat if that is struck off', () => {
  const swapped = [
    { ...seat, DateStrikingOff: '01-02-2020' },
    { ...oldest, DateStrikingOff: '' },
  ];
  const { address, addresses } = map({}, { address: swapped }).record.registry;
  assert.equal((address as AddressOf).typeCode, 'OBAD');
  assert.deepEqual(
    (addresses as TypedAddressOf[]).map(({ type, typeCode, until }) => [type, typeCode, until]),
    [['former', 'REGO', '2020-02-01']],
  );
});

test('a file with a large share of an official situation is imported, also without the code table', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `0200.065.${String(index).padStart(3, '0')}`);
  const { result, entities } = await importTexts(be, {
    'enterprise.csv': [
      '"EnterpriseNumber","Status","JuridicalSituation","TypeOfEnterprise","JuridicalForm","JuridicalFormCAC","StartDate"',
      ...numbers.map((number, index) => `"${number}","AC","${index % 2 === 0 ? '020' : '021'}","2","610",,09-08-1960`),
    ].join('\n'),
    'denomination.csv': [
      '"EntityNumber","Language","TypeOfDenomination","Denomination"',
      ...numbers.map((number) => `"${number}","2","001","Het Lege Nest"`),
    ].join('\n'),
  });
  assert.deepEqual([result.outcome, result.unreadable], ['published', 0]);
  assert.deepEqual([...new Set(entities.map(({ status }) => status))].sort(), ['active', 'unknown']);
});

test('a situation that the code table lists is official, even if its text is not understood', async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => `0200.065.${String(index).padStart(3, '0')}`);
  const files = {
    'enterprise.csv': [
      '"EnterpriseNumber","Status","JuridicalSituation","TypeOfEnterprise","JuridicalForm","JuridicalFormCAC","StartDate"',
      ...numbers.map((number) => `"${number}","AC","113","2","610",,09-08-1960`),
    ].join('\n'),
    'denomination.csv':
      '"EntityNumber","Language","TypeOfDenomination","Denomination"\n"0200.065.000","2","001","Nest"\n',
  };
  const code = '"Category","Code","Language","Description"\n"JuridicalSituation","113","NL","Iets nieuws"\n';
  const { result, entities } = await importTexts(be, { ...files, 'code.csv': code });
  assert.deepEqual([result.outcome, entities.length, entities[0]?.status], ['published', 40, 'unknown']);
  const situation = result.unknownValues.find(({ column }) => column === 'JuridicalSituation');
  assert.deepEqual([situation?.kind, situation?.value, situation?.rows], ['listedStatus', '113', 40]);
  await assert.rejects(importTexts(be, files), /40 of 40 rows are invalid/, 'not on any list');
});

test('an address abroad has the code of the country that the file names in Dutch or French', () => {
  const describe = (CountryNL: string, CountryFR: string) => {
    const address = [{ ...seat, CountryNL, CountryFR }];
    return map({}, { address }).record.registry.address?.countryCode;
  };
  assert.equal(describe('Duitsland (Bondsrep.)', 'Allemagne (Rép.féd.)'), 'DE');
  assert.equal(describe('Bovenzee', 'Luxembourg (Grand-Duché)'), 'LU', 'known by its French name only');
  assert.equal(describe('Bovenzee', 'Outremer'), undefined);
  assert.equal(describe('', ''), 'BE');
});
