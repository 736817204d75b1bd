import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importTexts } from '../../../test/harness/register-files.ts';
import type { Json, MappedRecord, TreeSource } from '../contract.ts';
import { findCheckDigit, isValidNumber } from './number.ts';
import { fi } from './register.ts';

const source = fi.sources[0] as TreeSource<unknown>;
type Company = { [key: string]: Json };

const describe = (finnish: string, swedish: string, english: string) => [
  { languageCode: '3', description: english },
  { languageCode: '2', description: swedish },
  { languageCode: '1', description: finnish },
];

/** An invented company in the published format. */
const COMPANY: Company = {
  businessId: { value: '1234567-1', registrationDate: '1978-03-15', source: '3' },
  euId: { value: 'FIFPRO.1234567-1', source: '1' },
  names: [
    {
      name: 'Vanha Nimi Oy',
      type: '1',
      registrationDate: '1973-08-10',
      endDate: '2022-01-21',
      version: 2,
      source: '1',
    },
    { name: 'Kuuraäyräs Oy', type: '1', registrationDate: '2022-01-21', version: 1, source: '1' },
    { name: 'Rimfrost Ab', type: '2', registrationDate: '2022-01-21', version: 1, source: '1' },
    { name: 'Kuura Media', type: '3', registrationDate: '2009-11-30', version: 1, source: '1' },
  ],
  mainBusinessLine: {
    type: '82200',
    descriptions: describe('Puhelinpalvelukeskusten toiminta', 'Callcenterverksamhet', 'Activities of call centres'),
    typeCodeSet: 'TOIMI4',
    registrationDate: '2026-01-01',
    source: '2',
  },
  website: { url: 'www.kuura.example', registrationDate: '2025-09-29', source: '0' },
  companyForms: [
    {
      type: '13',
      descriptions: describe('Kommandiittiyhtiö', 'Kommanditbolag', 'Limited partnership'),
      registrationDate: '1973-08-10',
      endDate: '1999-12-31',
      version: 2,
      source: '1',
    },
    {
      type: '16',
      descriptions: describe('Osakeyhtiö', 'Aktiebolag', 'Limited company'),
      registrationDate: '2000-01-01',
      version: 1,
      source: '1',
    },
  ],
  companySituations: [],
  registeredEntries: [
    {
      type: '1',
      descriptions: describe('Rekisterissä', 'Registrerad', 'Registered'),
      registrationDate: '1973-08-10',
      register: '1',
      authority: '2',
    },
    {
      type: '80',
      descriptions: describe('Alv-velvollinen', 'Momsskyldig', 'VAT-liable'),
      registrationDate: '1994-06-01',
      register: '6',
      authority: '1',
    },
  ],
  addresses: [
    {
      type: 1,
      street: 'Valimotie',
      postCode: '00380',
      postOffices: [
        { city: 'HELSINGFORS', languageCode: '2', municipalityCode: '091' },
        { city: 'HELSINKI', languageCode: '1', municipalityCode: '091' },
      ],
      buildingNumber: '17-19',
      entrance: '',
      apartmentNumber: '4',
      apartmentIdSuffix: 'b',
      co: '',
      registrationDate: '2025-09-29',
      source: '0',
    },
  ],
  tradeRegisterStatus: '1',
  status: '2',
  registrationDate: '1973-08-10',
  lastModified: '2026-04-20T12:09:25',
};

function map(changes: Company = {}) {
  const reports: string[][] = [];
  const context = {
    codes: null,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  return { record: source.map({ ...COMPANY, ...changes }, context) as MappedRecord, reports };
}

test('an object with every key filled becomes a record', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '1234567-1',
    canonicalName: 'Kuuraäyräs Oy',
    status: 'active',
    legalForm: 'Osakeyhtiö',
    registeredAt: '1973-08-10',
    registrations: [
      {
        authority: 'Patentti- ja rekisterihallitus',
        type: 'national',
        status: '1',
        registeredAt: '1973-08-10',
        endedAt: null,
        number: '1234567-1',
      },
      {
        authority: 'Verohallinto',
        type: 'vat',
        number: 'FI12345671',
        status: 'Alv-velvollinen',
        registeredAt: '1994-06-01',
        endedAt: null,
      },
    ],
    activities: [{ type: 'unlicensed', code: '82200', label: 'Puhelinpalvelukeskusten toiminta' }],
    registry: {
      numberValid: true,
      businessIdSince: '1978-03-15',
      euId: 'FIFPRO.1234567-1',
      tradeRegisterStatus: '1',
      parallelNames: ['Rimfrost Ab'],
      auxiliaryNames: ['Kuura Media'],
      previousNames: [{ name: 'Vanha Nimi Oy', type: 'main', from: '1973-08-10', until: '2022-01-21' }],
      legalFormCode: '16',
      legalFormNames: { fi: 'Osakeyhtiö', sv: 'Aktiebolag', en: 'Limited company' },
      legalFormSince: '2000-01-01',
      previousLegalForms: [
        {
          code: '13',
          fi: 'Kommandiittiyhtiö',
          sv: 'Kommanditbolag',
          en: 'Limited partnership',
          from: '1973-08-10',
          until: '1999-12-31',
        },
      ],
      mainBusinessLine: {
        code: '82200',
        fi: 'Puhelinpalvelukeskusten toiminta',
        sv: 'Callcenterverksamhet',
        en: 'Activities of call centres',
        classification: 'TOIMI4',
        since: '2026-01-01',
      },
      registers: [
        {
          register: '1',
          authority: '2',
          code: '1',
          fi: 'Rekisterissä',
          sv: 'Registrerad',
          en: 'Registered',
          from: '1973-08-10',
        },
        {
          register: '6',
          authority: '1',
          code: '80',
          fi: 'Alv-velvollinen',
          sv: 'Momsskyldig',
          en: 'VAT-liable',
          from: '1994-06-01',
        },
      ],
      addresses: [
        {
          type: 'visiting',
          street: 'Valimotie',
          buildingNumber: '17-19',
          apartment: '4b',
          postCode: '00380',
          city: 'HELSINKI',
          citySwedish: 'HELSINGFORS',
          municipalityCode: '091',
          since: '2025-09-29',
        },
      ],
      website: 'www.kuura.example',
      websiteSince: '2025-09-29',
      lastModified: '2026-04-20T12:09:25',
    },
  });
});

test('the status follows from a current situation, or else from tradeRegisterStatus, and never from the field status', () => {
  const statusOf = (changes: Company) => map(changes).record.status;
  assert.equal(statusOf({ status: '1', tradeRegisterStatus: '3' }), 'unknown');
  assert.equal(statusOf({ tradeRegisterStatus: '4', endDate: '2024-02-29' }), 'dissolved');
  assert.equal(statusOf({ tradeRegisterStatus: '9' }), 'unknown');
  const situation = (fields: Company) => statusOf({ companySituations: [fields] });
  assert.equal(situation({ type: 'X', descriptions: describe('Konkurssi', 'Konkurs', 'Bankruptcy') }), 'insolvent');
  assert.equal(
    situation({ type: 'X', descriptions: describe('Yrityssaneeraus', 'Företagssanering', '') }),
    'insolvent',
  );
  assert.equal(situation({ type: 'X', descriptions: describe('Selvitystila', 'Likvidation', '') }), 'in_liquidation');
  assert.equal(situation({ type: 'KONK', endDate: '2020-01-01' }), 'active');
  const unknown = map({ companySituations: [{ type: '77', descriptions: [] }] });
  assert.deepEqual(
    [unknown.record.status, unknown.reports],
    ['active', [['companySituations', '77', 'unknown situation']]],
  );
});

test('a company whose names have all ended takes the last main name, and one without any name is rejected', () => {
  const name = (text: string, endDate: string, type = '1') => ({ name: text, type, endDate });
  const names = [name('A Oy', '2001-01-01'), name('B Oy', '2020-01-01'), name('C', '2024-01-01', '3')];
  assert.equal(map({ names }).record.canonicalName, 'B Oy');
  assert.deepEqual(map({ names: [] }).record, { rejected: 'no name' });
});

test('a VAT registration that has ended has an end date, and an invalid date is reported', () => {
  const entry = { type: '80', register: '6', registrationDate: '1994-06-01', endDate: '1999-12-31' };
  assert.equal(map({ registeredEntries: [entry] }).record.registrations[1]?.endedAt, '1999-12-31');
  assert.deepEqual(map({ registeredEntries: [] }).record.registrations.length, 1);
  assert.deepEqual(map({ registrationDate: '2001-02-30' }).reports, [['registrationDate', '2001-02-30', 'not a date']]);
});

test('check digits are verified, and a number whose check digit would be 10 is invalid', () => {
  for (const number of ['0100130-4', '1234567-1']) assert.equal(isValidNumber(number), true, number);
  // 2·6 = 12: the remainder is 1, and 11 − 1 has two digits.
  assert.equal(findCheckDigit('0000006'), null);
  for (let digit = 0; digit <= 9; digit++) assert.equal(isValidNumber(`0000006-${digit}`), false);
  // 4 + 7 = 11: the remainder is 0.
  assert.equal(findCheckDigit('1000010'), 0);
  assert.equal(isValidNumber('1000010-0'), true);
  // 2·5 = 10: the remainder is 10.
  assert.equal(findCheckDigit('0000005'), 1);
  assert.equal(findCheckDigit('000000'), null);
  for (const number of ['0100130-5', '01001304', '100130-4']) assert.equal(isValidNumber(number), false, number);
});

test('the companies are read from an array or from an object that holds it, and sourceData keeps them unchanged', async () => {
  const list = [COMPANY, { ...COMPANY, businessId: { value: '0100130-4' }, newKey: [1] }];
  for (const document of [list, { totalResults: 2, companies: list }]) {
    const { result, entities } = await importTexts(fi, { all_companies: JSON.stringify(document) });
    assert.deepEqual([result.counts.added, result.unknownColumns], [2, ['newKey']]);
    assert.deepEqual(
      entities.map(({ sourceData }) => sourceData),
      list,
    );
    assert.deepEqual(entities[0]?.activities, ['u82200', 'uPuhelinpalvelukeskusten toiminta']);
  }
});
