import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidNumber } from '../../../src/registers/be/number.ts';
import { be } from '../../../src/registers/be/register.ts';
import type { MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable, type Row } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const sources = new Map(be.sources.map((source) => [source.name, source as TableSource<unknown>]));
const sourceOf = (name: string) => sources.get(name) as TableSource<unknown>;
const enterprise = sourceOf('enterprise');

/** An extract in the published format: texts are quoted, dates and empty values are not. The enterprise is invented. */
const FILES: Record<string, string> = {
  meta: '"Variable","Value"\n"SnapshotDate","30-05-2025"\n"ExtractType","full"\n',
  code: `"Category","Code","Language","Description"
"ActivityGroup","001","NL","BTW-activiteiten"
"ActivityGroup","006","NL","RSZ-activiteiten"
"Classification","MAIN","NL","Hoofdactiviteit"
"Classification","SECO","NL","Nevenactiviteit"
"ContactType","EMAIL","NL","E-mailadres"
"EntityContact","ENT","NL","Onderneming"
"EntityContact","EST","NL","Vestigingseenheid"
"TypeOfAddress","REGO","NL","Zetel"
"TypeOfAddress","OBAD","NL","Oudste actieve vestigingseenheid"
"JuridicalForm","610","FR","Société à responsabilité limitée"
"JuridicalForm","610","NL","Besloten vennootschap"
"JuridicalForm","003","DE","Mehrwertsteuereinheit"
"JuridicalSituation","000","NL","Normale toestand"
"Nace2025","68121","FR","Promotion immobilière"
"Nace2025","68121","NL","Ontwikkeling van bouwprojecten"
"Nace2025","93110","NL","Exploitatie van sportaccommodaties"
"TypeOfEnterprise","1","NL","Natuurlijk Persoon"
"TypeOfDenomination","001","NL","Naam"
`,
  enterprise: `"EnterpriseNumber","Status","JuridicalSituation","TypeOfEnterprise","JuridicalForm","JuridicalFormCAC","StartDate"
"0200.065.765","AC","000","2","610","003",09-08-1960
`,
  denomination: `"EntityNumber","Language","TypeOfDenomination","Denomination"
"0200.065.765","2","002","Uil"
"0200.065.765","0","001","Uilennest ""De Hoge Wilg"", bv"
"2.000.000.339","1","003","Le Hibou"
`,
  address: `"EntityNumber","TypeOfAddress","CountryNL","CountryFR","Zipcode","MunicipalityNL","MunicipalityFR","StreetNL","StreetFR","HouseNumber","Box","ExtraAddressInfo","DateStrikingOff"
"0200.065.765","REGO",,,"1000","Brussel","Bruxelles","Wetstraat","Rue de la Loi","16","4","Toren B",
"0200.065.765","OBAD",,,"9000","Gent","Gent","Stropstraat","Stropstraat","1","","",01-02-2020
"2.000.000.339","BAET","Nederland","Pays-Bas","1012","Amsterdam","Amsterdam","Dam","Dam","1","","",
`,
  contact: `"EntityNumber","EntityContact","ContactType","Value"
"0200.065.765","ENT","EMAIL","info@voorbeeld.be"
"0200.065.765","ENT","TEL","089/00.00.00"
"0200.065.765","ENT","FAX","089/00.00.01"
"2.000.000.339","EST","WEB","www.voorbeeld.be"
`,
  activity: `"EntityNumber","ActivityGroup","NaceVersion","NaceCode","Classification"
"0200.065.765","001","2008","41101","MAIN"
"0200.065.765","001","2025","93110","SECO"
"0200.065.765","001","2025","68121","MAIN"
"0200.065.765","006","2025","68121","SECO"
"2.000.000.339","001","2025","68121","MAIN"
`,
  establishment: '"EstablishmentNumber","StartDate","EnterpriseNumber"\n"2.000.000.339",01-11-1974,"0200.065.765"\n',
  branch: '"Id","StartDate","EnterpriseNumber"\n"9.000.000.101",02-11-1974,"0200.065.765"\n',
};

const NACE = { type: 'unlicensed', scheme: 'NACE-BEL', otherLabels: [] as string[] } as const;

const parsed = Object.entries(FILES).map(
  async ([name, text]) => [name, await parseTable(sourceOf(name), text)] as const,
);
const tables: Record<string, Row[]> = Object.fromEntries(await Promise.all(parsed));
const codes = be.readCodes(new Map(Object.entries(tables)));
const row = tables.enterprise?.[0] ?? {};
const map = (changes: Row = {}, rows = tables) => mapRow(enterprise, { ...row, ...changes }, { codes, rows });

test('all nine tables become one enterprise with its establishment and branch', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '0200.065.765',
    canonicalName: 'Uilennest "De Hoge Wilg", bv',
    status: 'active',
    legalForm: {
      code: '610',
      label: 'Besloten vennootschap',
      labels: { nl: 'Besloten vennootschap', fr: 'Société à responsabilité limitée' },
      scheme: 'KBO JuridicalForm',
    },
    registeredAt: '1960-08-09',
    registrations: [
      {
        authority: 'FOD Economie / SPF Économie (KBO/BCE)',
        type: 'national',
        number: '0200.065.765',
        numberValid: true,
        status: 'Normale toestand',
        statusCode: '000',
        registeredAt: '1960-08-09',
        endedAt: null,
      },
    ],
    activities: [
      {
        ...NACE,
        code: '68121',
        label: 'Ontwikkeling van bouwprojecten',
        otherLabels: ['Promotion immobilière'],
        edition: '2025',
        main: true,
        national: {
          groups: [
            { group: '001', classification: 'MAIN' },
            { group: '006', classification: 'SECO' },
          ],
        },
      },
      {
        ...NACE,
        code: '93110',
        label: 'Exploitatie van sportaccommodaties',
        edition: '2025',
        main: false,
        national: { groups: [{ group: '001', classification: 'SECO' }] },
      },
      {
        ...NACE,
        code: '41101',
        label: null,
        edition: '2008',
        main: true,
        national: { groups: [{ group: '001', classification: 'MAIN' }] },
      },
    ],
    registry: {
      otherNames: [{ name: 'Uil', type: 'short', language: 'nl' }],
      status: { code: '000', label: 'Normale toestand' },
      registrationStatus: { code: 'AC' },
      typeCode: '2',
      legalFormCac: { code: '003', label: 'Mehrwertsteuereinheit' },
      address: {
        text: 'Wetstraat 16 bus 4, Toren B, 1000 Brussel',
        textFr: 'Rue de la Loi 16 bte 4, Toren B, 1000 Bruxelles',
        street: 'Wetstraat',
        streetFr: 'Rue de la Loi',
        number: '16',
        unit: '4',
        details: 'Toren B',
        postCode: '1000',
        city: 'Brussel',
        cityFr: 'Bruxelles',
        countryCode: 'BE',
        typeCode: 'REGO',
      },
      addresses: [
        {
          type: 'former',
          text: 'Stropstraat 1, 9000 Gent',
          street: 'Stropstraat',
          number: '1',
          postCode: '9000',
          city: 'Gent',
          countryCode: 'BE',
          typeCode: 'OBAD',
          until: '2020-02-01',
        },
      ],
      contacts: { emails: ['info@voorbeeld.be'], phones: ['089/00.00.00'], faxes: ['089/00.00.01'] },
      establishments: [
        {
          number: '2.000.000.339',
          name: 'Le Hibou',
          nameLanguage: 'fr',
          from: '1974-11-01',
          address: {
            text: 'Dam 1, 1012 Amsterdam, Nederland',
            street: 'Dam',
            number: '1',
            postCode: '1012',
            city: 'Amsterdam',
            country: 'Nederland',
            countryCode: 'NL',
            countryFr: 'Pays-Bas',
            typeCode: 'BAET',
          },
          contacts: { websites: ['www.voorbeeld.be'] },
          activities: [
            {
              code: '68121',
              edition: '2025',
              groups: [{ group: '001', classification: 'MAIN' }],
              main: true,
              label: 'Ontwikkeling van bouwprojecten',
            },
          ],
        },
        { number: '9.000.000.101', type: 'branch', from: '1974-11-02' },
      ],
      activityGroups: { '001': 'BTW-activiteiten', '006': 'RSZ-activiteiten' },
      classifications: { MAIN: 'Hoofdactiviteit', SECO: 'Nevenactiviteit' },
    },
  } satisfies MappedRecord);
});

test('a natural person has its type as legal form, and an enterprise without a name is named by its number', () => {
  assert.deepEqual(map({ JuridicalForm: '', TypeOfEnterprise: '1' }).record.legalForm, {
    code: '1',
    label: 'Natuurlijk Persoon',
    labels: { nl: 'Natuurlijk Persoon' },
    scheme: 'KBO TypeOfEnterprise',
  });
  assert.deepEqual(map({ JuridicalForm: '999' }).record.legalForm, { code: '999', scheme: 'KBO JuridicalForm' });
  const { record } = map({}, {});
  assert.deepEqual([record.canonicalName, record.registry.nameMissing], ['0200.065.765', true]);
  assert.deepEqual(map({ EnterpriseNumber: ' ' }).result, { rejected: 'no number' });
});

test('an older extract without JuridicalFormCAC is imported', async () => {
  const { result, entities } = await importTexts(be, {
    'enterprise.csv': `"EnterpriseNumber","Status","JuridicalSituation","TypeOfEnterprise","JuridicalForm","StartDate"
"0200.065.765","AC","000","2","610",09-08-1960
`,
    'denomination.csv': FILES.denomination ?? '',
  });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [1, 0, []]);
  const [{ registeredAt, legalForm, registry } = {} as never] = entities;
  assert.deepEqual([registeredAt, legalForm, registry.legalFormCac], ['1960-08-09', '610', undefined]);
});

test('the check digits of a number are verified', () => {
  assert.equal(isValidNumber('0200.065.765'), true, 'from the official sample');
  assert.equal(isValidNumber('0200.068.636'), true);
  assert.equal(isValidNumber('0200.068.637'), false);
  assert.equal(isValidNumber('2200.068.678'), false, 'enterprise numbers start with 0 or 1');
  // 97 · 10309 = 999973, so the remainder is 0 and the check digits are 97, not 00.
  assert.equal(isValidNumber('0099.997.397'), true);
  assert.equal(isValidNumber('0099.997.300'), false);
  // One less leaves the remainder 96 and the check digits 01.
  assert.equal(isValidNumber('0099.997.201'), true);
});

test('an update extract is refused, because importing it would delist every enterprise that it does not repeat', () => {
  assert.equal(be.refuse?.(codes), null);
  for (const type of ['update', 'Update', ' UPDATE ']) {
    const update = be.readCodes(new Map([['meta', [{ Variable: ' ExtractType ', Value: type }]]]));
    assert.match(be.refuse?.(update) ?? '', /update extract.*full/, type);
  }
});

test('the generated extract has the published headers, and its tables match', () => {
  const file = generateFile(be, 500, 5);
  const rowsOf = (name: string) => listSyntheticRows(file, `${name}.csv`);
  for (const [name, text] of Object.entries(FILES)) {
    const [first = {}] = rowsOf(name);
    assert.equal(`"${Object.keys(first).join('","')}"`, text.split('\n')[0], name);
  }
  const enterprises = new Set(rowsOf('enterprise').map(({ EnterpriseNumber = '' }) => EnterpriseNumber));
  const parts = [...rowsOf('establishment'), ...rowsOf('branch')];
  assert.equal(enterprises.size, 500);
  assert.ok(parts.every(({ EnterpriseNumber = '' }) => enterprises.has(EnterpriseNumber)));
  const entities = new Set([...enterprises, ...parts.map((part) => part.EstablishmentNumber ?? part.Id ?? '')]);
  for (const name of ['denomination', 'address', 'contact', 'activity']) {
    assert.ok(
      rowsOf(name).every(({ EntityNumber = '' }) => entities.has(EntityNumber)),
      name,
    );
  }
  assert.ok([...enterprises].filter(isValidNumber).length > 490);
});
