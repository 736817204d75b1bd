import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckDigit, isValidNumber } from '../../../src/registers/fi/number.ts';
import { fi } from '../../../src/registers/fi/register.ts';
import { importTexts } from '../../harness/register-files.ts';
import { COMPANY, map } from '../fi-company.ts';

test('an object with every key filled becomes a record', () => {
  const { record, reports } = map();
  assert.deepEqual(reports, []);
  assert.deepEqual(record, {
    number: '1234567-1',
    canonicalName: 'Kuuraäyräs Oy',
    status: 'active',
    legalForm: {
      code: '16',
      label: 'Osakeyhtiö',
      labels: { fi: 'Osakeyhtiö', sv: 'Aktiebolag', en: 'Limited company' },
    },
    registeredAt: '1973-08-10',
    registrations: [
      {
        authority: 'Patentti- ja rekisterihallitus',
        type: 'national',
        number: '1234567-1',
        numberValid: true,
        status: 'Registered',
        statusCode: '1',
        registeredAt: '1973-08-10',
        endedAt: null,
      },
      {
        authority: 'Patentti- ja rekisterihallitus',
        type: 'euid',
        number: 'FIFPRO.1234567-1',
        status: null,
        registeredAt: '1973-08-10',
        endedAt: null,
      },
      {
        authority: 'Verohallinto',
        type: 'vat',
        number: 'FI12345671',
        status: 'Alv-velvollinen',
        statusCode: '80',
        registeredAt: '1994-06-01',
        endedAt: null,
      },
    ],
    activities: [
      {
        type: 'unlicensed',
        code: '82200',
        label: 'Puhelinpalvelukeskusten toiminta',
        otherLabels: ['Activities of call centres', 'Callcenterverksamhet'],
        scheme: 'TOL',
        edition: '2025',
        main: true,
        national: {
          labels: {
            fi: 'Puhelinpalvelukeskusten toiminta',
            sv: 'Callcenterverksamhet',
            en: 'Activities of call centres',
          },
          codeSet: 'TOIMI4',
          from: '2026-01-01',
        },
      },
    ],
    registry: {
      status: { code: '1', label: 'Registered' },
      previousNames: [{ name: 'Vanha Nimi Oy', nameType: 'main', from: '1973-08-10', until: '2022-01-21' }],
      otherNames: [
        { name: 'Rimfrost Ab', type: 'translation', nameType: 'parallel', from: '2022-01-21' },
        { name: 'Kuura Media', type: 'trading', nameType: 'auxiliary', from: '2009-11-30' },
      ],
      address: {
        text: 'Valimotie 17-19 4b, 00380 HELSINKI',
        street: 'Valimotie',
        number: '17-19',
        unit: '4b',
        postCode: '00380',
        city: 'HELSINKI',
        countryCode: 'FI',
        citySwedish: 'HELSINGFORS',
        municipalityCode: '091',
        from: '2025-09-29',
      },
      contacts: { websites: ['www.kuura.example'] },
      websiteSince: '2025-09-29',
      businessIdSince: '1978-03-15',
      businessIdStatus: { code: '2', label: 'Valid' },
      legalFormSince: '2000-01-01',
      previousLegalForms: [
        {
          code: '13',
          label: 'Kommandiittiyhtiö',
          labels: { fi: 'Kommandiittiyhtiö', sv: 'Kommanditbolag', en: 'Limited partnership' },
          from: '1973-08-10',
          until: '1999-12-31',
        },
      ],
      registers: [
        {
          register: '1',
          registerName: 'Trade register',
          authority: '2',
          code: '1',
          label: 'Rekisterissä',
          labels: { fi: 'Rekisterissä', sv: 'Registrerad', en: 'Registered' },
          from: '1973-08-10',
        },
        {
          register: '6',
          registerName: 'VAT register',
          authority: '1',
          code: '80',
          label: 'Alv-velvollinen',
          labels: { fi: 'Alv-velvollinen', sv: 'Momsskyldig', en: 'VAT-liable' },
          from: '1994-06-01',
        },
      ],
      lastModified: '2026-04-20T12:09:25',
    },
  });
});

test('registers 5 and 7 are those of prepayment and of employers', () => {
  const entry = (register: string) => ({ type: '1', register, authority: '1', registrationDate: '2001-01-01' });
  const { registry } = map({ registeredEntries: ['5', '7', '99'].map(entry) }).record;
  assert.deepEqual(
    (registry.registers as { registerName?: string }[]).map(({ registerName }) => registerName),
    ['Prepayment register', 'Employer register', undefined],
  );
});

test('a code without a description is counted as unknown', () => {
  const { record, reports } = map({
    companyForms: [{ type: '99', descriptions: [] }],
    mainBusinessLine: { type: '99999', typeCodeSet: 'TOIMI9' },
  });
  assert.deepEqual(record.legalForm, { code: '99' });
  assert.equal(record.activities[0]?.edition, 'TOIMI9');
  assert.deepEqual(reports, [
    ['legalForm', 'companyForms', '99'],
    ['activity', 'mainBusinessLine', '99999'],
  ]);
});

test('a company whose names have all ended takes the last main name, and one without any name is rejected', () => {
  const name = (text: string, endDate: string, type = '1') => ({ name: text, type, endDate });
  const names = [name('A Oy', '2001-01-01'), name('B Oy', '2020-01-01'), name('C', '2024-01-01', '3')];
  assert.equal(map({ names }).record.canonicalName, 'B Oy');
  assert.deepEqual(map({ names: [] }).record, { rejected: 'no name' });
});

test('a VAT registration that has ended has an end date, and an invalid date is reported', () => {
  const entry = { type: '80', register: '6', registrationDate: '1994-06-01', endDate: '1999-12-31' };
  assert.equal(map({ registeredEntries: [entry] }).record.registrations[2]?.endedAt, '1999-12-31');
  assert.deepEqual(map({ registeredEntries: [] }).record.registrations.length, 2);
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
    assert.deepEqual(entities[0]?.activities, [
      'u82200',
      'uPuhelinpalvelukeskusten toiminta',
      'vActivities of call centres',
      'vCallcenterverksamhet',
    ]);
  }
});

test('the current entry in the VAT register counts, or else the first one', () => {
  const entry = (type: string, endDate?: string) => ({
    type,
    register: '6',
    authority: '1',
    registrationDate: '2001-01-01',
    ...(endDate !== undefined && { endDate }),
  });
  const read = (...registeredEntries: ReturnType<typeof entry>[]) => {
    const vat = map({ registeredEntries }).record.registrations.find(({ type }) => type === 'vat');
    return [vat?.statusCode, vat?.endedAt];
  };
  assert.deepEqual(read(entry('81', '2005-05-05'), entry('80')), ['80', null]);
  assert.deepEqual(read(entry('81', '2005-05-05'), entry('82', '2009-09-09')), ['81', '2005-05-05']);
  assert.deepEqual(read(), [undefined, undefined]);
});
