import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectContent } from '../../src/records/large-record.ts';
import { entityPage } from '../../src/web/pages/entity.ts';
import { provenance, showRecord } from './record-page.ts';

describe('the fields of a record on its page', () => {
  test('groups national fields, and shows yes and no, dates, money, codes and names of countries and languages', () => {
    const page = showRecord({
      employer: false,
      jurisdiction: 'GB',
      nameLanguage: 'nl',
      situation: { code: 'AC', label: 'Actief' },
      pledge: { amount: 1234567.5, currency: 'EUR' },
      lei: { issuedAt: '2021-04-18', validation: 'FULLY_CORROBORATED', checked: true },
      events: [{ isFinal: true, recordedAt: '2025-04-06', modified: '2026-03-19T12:09:25' }],
    });
    for (const part of [
      'General Employer no Jurisdiction United Kingdom (GB) Name language Dutch Situation Actief · code AC Pledge 1,234,567.50 EUR',
      'LEI Issued on 18 Apr 2021 Validation Fully corroborated Checked yes',
      'Events Final Recorded on Modified yes 6 Apr 2025 19 Mar 2026, 12:09',
    ]) {
      assert.ok(page.includes(` ${part} `), `"${part}" is missing: ${page}`);
    }
  });

  test('folds empty columns of the source away, and names them', () => {
    const sourceData = { name: 'ALPHA', ' careOf': '', poBox: '', units: [{ a: '1' }, { a: '2' }, { a: '', b: '3' }] };
    const page = showRecord({}, { sourceData });
    assert.match(page, /Field Value name ALPHA 2 empty fields careOf poBox units › 1 Field Value a 1 /);
    assert.match(page, / units › 3 Field Value b 3 1 empty field a /);
  });

  test('shows the fields that all registers share', () => {
    const page = showRecord({
      legalForm: {
        code: '014',
        label: 'Naamloze vennootschap',
        labels: { nl: 'Naamloze vennootschap', fr: 'Société anonyme' },
        scheme: 'KBO',
      },
      status: { code: 'AC', label: 'Actief', since: '2003-02-01', reason: 'Oprichting', reasonCode: '000' },
      statusInferredFrom: 'Lichidator',
      foundedAt: '2003-01-31',
      endedAt: '2020-12-31',
      address: { text: 'Kerkstraat 1, 1000 Brussel', street: 'Kerkstraat', city: 'Brussel' },
      capital: { amount: 61500.5, currency: 'EUR' },
      employees: { from: 10, to: 49, code: '12' },
      sector: { code: '11', label: 'Private sector' },
      purpose: 'Bakes bread.',
      contacts: { websites: ['www.alpha.example'], emails: ['info@alpha.example'], phones: ['02 000 00 00'] },
    });
    for (const row of [
      'Legal form Naamloze vennootschap · code 014 · KBO · French: Société anonyme',
      'Register status Actief · code AC · since 1 Feb 2003 · Oprichting · reason code 000',
      'Status inferred from Lichidator',
      'Founded 31 Jan 2003',
      'Ended 31 Dec 2020',
      'Capital 61,500.50 EUR',
      'Employees 10 to 49 · code 12',
      'Sector Private sector · code 11',
      'Purpose Bakes bread.',
      'Websites www.alpha.example',
      'E-mail addresses info@alpha.example',
      'Phones 02 000 00 00',
      'This record has no further fields.',
    ]) {
      assert.ok(page.includes(` ${row} `), `"${row}" is missing: ${page}`);
    }
    assert.doesNotMatch(page, /Faxes|Size/, 'fields that the record lacks are shown');
  });

  test('shows exact and open numbers of employees, and capital with all its digits', () => {
    assert.match(showRecord({ employees: { count: 7 } }), / Employees 7 /);
    assert.match(showRecord({ employees: { from: 10_000 } }), / Employees 10,000 or more /);
    assert.match(showRecord({ employees: { to: 9 } }), / Employees up to 9 /);
    const text = '{"capital":{"amount":12345678901234567890.25,"currency":"UAH"}}';
    const record = `{"id":"1","countryCode":"UA","canonicalName":"A","register":null,"registrationNumber":null,"city":null,"status":"active","legalForm":null,"registeredAt":null,"updatedAt":"2026-03-15T00:00:00.000Z","registrations":[],"provenance":null,"sourceData":{},"registry":${text}}`;
    const excerpt = selectContent(record, { kind: 'excerpt' });
    const page = entityPage({
      visitor: 'anonymous',
      publicUrl: '',
      excerpt,
      history: { changes: [], hasMore: false },
      registers: [],
      now: 0,
    }).text;
    assert.match(page, /12,345,678,901,234,567,890\.25 UAH/);
  });

  test('shows lists as tables, with national columns after the common ones', () => {
    const page = showRecord({
      activities: [
        { type: 'unlicensed', code: '10.71', label: 'Bread', scheme: 'NACE-BEL', edition: '2008', main: true },
        {
          type: 'licensed',
          code: '56.10',
          label: 'Restaurants',
          scheme: 'NACE-BEL',
          edition: '2008',
          groups: [{ group: '001', kind: 'MAIN' }],
        },
      ],
      parties: [
        {
          role: 'director',
          roleLabel: 'Zaakvoerder',
          name: 'Anna Peeters',
          kind: 'person',
          from: '2003-02-01',
          since: 'x',
        },
        {
          role: 'beneficial_owner',
          name: 'Beta NV',
          contribution: { amount: 5600, currency: 'EUR' },
          share: 25.5,
          number: '0123',
          countryCode: 'NL',
        },
      ],
      previousNames: [{ name: 'OLD NV', until: '2010-05-01' }],
      otherNames: [{ name: 'ALPHA', type: 'short', language: 'nl' }],
      addresses: [{ type: 'postal', text: 'Postbus 1, 1000 Brussel', city: 'Brussel' }],
      establishments: [
        {
          number: '2.000',
          name: 'Shop',
          address: { text: 'Markt 2, 9000 Gent' },
          activities: ['2008', '2025'].map((edition) => ({ code: '10711', edition, main: true, label: 'Bread' })),
        },
      ],
      successors: [{ name: 'GAMMA NV', number: '99' }],
    });
    for (const table of [
      'Activities Code Activity Classification Kind Groups 10.71 Bread NACE-BEL 2008 main 56.10 Restaurants NACE-BEL 2008 licensed 001 · MAIN',
      'Role Name Kind Number Share Country From Since Contribution',
      'director Zaakvoerder Anna Peeters person 1 Feb 2003 x',
      'beneficial owner Beta NV 0123 25.5% NL 5,600 EUR',
      'Former names Name Until OLD NV 1 May 2010',
      'Other names Name Type Language ALPHA short Dutch',
      'Other addresses Type Address postal Postbus 1, 1000 Brussel',
      'Establishments Number Name Address Activities 2.000 Shop Markt 2, 9000 Gent 10711 Bread',
      'Successors Name Number GAMMA NV 99',
    ]) {
      assert.ok(page.includes(` ${table} `), `"${table}" is missing: ${page}`);
    }
    assert.doesNotMatch(page, /Predecessors/);
  });

  test('shows the first twenty items of a list and says how many more there are', () => {
    const page = showRecord({
      establishments: Array.from({ length: 1_021 }, (_, index) => ({ number: `n${index}.` })),
    });
    assert.match(page, / n0\. .* n19\. The first 20 of 1,021\. Show all 1,021 /);
    assert.doesNotMatch(page, /n20\./);
  });

  test('shows national fields apart, including those inside common fields', () => {
    const page = showRecord(
      { address: { text: 'Kerkstraat 1', cityFr: 'Bruxelles' }, juridicalSituation: '000' },
      { provenance },
    );
    assert.match(
      page,
      /Register details .* General Juridical situation 000 Address details City \(French\) Bruxelles /,
    );
    assert.match(page, /All common fields · All fields of this register/);
  });

  test('shows a field in another shape as a national field, as records of earlier imports have it', () => {
    const page = showRecord({
      previousNames: ['OLD NV'],
      employees: 5,
      address: { street: 'Kerkstraat' },
      status: 'AC',
    });
    assert.match(
      page,
      /Register details .* General Previous names OLD NV Employees 5 Status AC Address Street Kerkstraat /,
    );
    assert.doesNotMatch(page, /Former names/);
  });
});
