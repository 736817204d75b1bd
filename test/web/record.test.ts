import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entityStatuses } from '../../src/base/entity-status.ts';
import { entityPage } from '../../src/portal/record/page.ts';
import { registers as allRegisters } from '../../src/registers/index.ts';
import { recordExcerpt } from '../../src/registry/records/shown-record.ts';
import { provenance, showPage, showRecord, UP_TO_DATE } from './record-page.ts';
import { makeSummary } from './summaries.ts';

describe('the page of a record', () => {
  test('starts with what identifies the company', () => {
    const registry = {
      address: { text: 'Kerkstraat 1, 1000 Brussel', postCode: '1000', countryCode: 'BE' },
      activities: ['2025', '2008'].map((edition) => ({
        type: 'unlicensed',
        code: '10.71',
        label: 'Bread',
        scheme: 'NACE-BEL',
        edition,
        main: true,
      })),
    };
    const page = showRecord(registry, { provenance, status: 'in_liquidation' });
    assert.match(
      page,
      new RegExp(
        'ALPHA NV in liquidation Brussel Belgium This company is being wound up\\. .*' +
          'Registration number 0123.456.789 Copy Legal form Naamloze vennootschap Registered since 1 Feb 2003 ' +
          'Data as of 1 Jun 2026 Address Kerkstraat 1 1000 Brussel Belgium Activities Bread · 10.71 · NACE-BEL 2025 · main Prove this record',
      ),
    );
  });

  test('says in a sentence what a status means, and what the register says', () => {
    const registry = { status: { code: '08', label: 'BAIXADA', since: '2025-09-26' }, endedAt: '2025-09-27' };
    const ended = showRecord(registry, { status: 'dissolved' });
    assert.match(
      ended,
      /dissolved Brussel Belgium This company has ended: .* \(its register says “ BAIXADA ” since 27 Sept 2025\)\./,
    );
    assert.doesNotMatch(ended, /Status: ended/);
    assert.doesNotMatch(showRecord(registry, { status: 'active' }), /This company/);
    for (const status of entityStatuses.filter((each) => each !== 'active')) {
      assert.match(showRecord({}, { status }), /Belgium [A-Z][^.]*this company[^.]*\./i, status);
    }
  });

  test('explains codes by the legends of the record, and does not show legends as facts', () => {
    const registry = {
      activities: [
        { type: 'unlicensed', code: '10', label: 'Bread', groups: [{ group: '001', classification: 'MAIN' }] },
      ],
      activityGroups: { '001': 'BTW-activiteiten' },
      classifications: { MAIN: 'Hoofdactiviteit' },
    };
    const be = allRegisters.find(({ id }) => id === 'be') ?? assert.fail('no register');
    const page = showRecord(registry, {}, [{ register: be, ...UP_TO_DATE }]);
    assert.match(page, / Bread BTW-activiteiten \(VAT activities\) · Hoofdactiviteit \(main activity\) /);
    assert.doesNotMatch(page, /Activity groups|Classifications|001/);
  });

  test('shows roles and age groups in words instead of codes', () => {
    const party = { role: 'partner', roleLabel: 'Sócio-Administrador', roleCode: '49', name: 'ANA LIMA' };
    const page = showRecord({ parties: [{ ...party, ageGroup: '6', ageGroupLabel: '51 to 60 years' }] });
    assert.match(
      page,
      / Role Name Age group partner · Sócio-Administrador · managing partner ANA LIMA 51 to 60 years /,
    );
    assert.doesNotMatch(page, / 49 | 6 |Role code/);
    assert.match(showRecord({ parties: [{ ...party, roleLabel: '22' }] }), / partner · code 22 ANA LIMA /);
    assert.match(showRecord({ diffusion: 'O' }), / Disclosure O · everything may be disclosed /);
  });

  test('shows each person once, with what the record and the files of parties say', () => {
    const ana = { role: 'partner', roleLabel: 'Sócio-Administrador', name: 'ANA LIMA', foreign: true };
    const other = { role: 'auditor', name: 'RUI LIMA' };
    const party = {
      role: 'partner',
      roleText: 'Sócio-Administrador',
      kind: 'person',
      name: 'ANA LIMA',
      number: '***1**',
    };
    const listed = {
      ...{ ...party, entityId: null, countryCode: 'BR', interests: [], absence: null, from: null, until: null },
      ...{ current: true, source: { file: '', hash: '', row: 1 }, sourceData: null },
    };
    const answer = {
      version: '',
      register: 'br',
      coverage: 'available',
      nodes: [],
      links: [],
      truncated: false,
    } as const;
    const parties = { ...answer, parties: [listed], total: 1, withheld: 0 };
    const view = { issuer: undefined, parties, owners: answer, holdings: answer };
    const page = showRecord({ parties: [ana, other] }, {}, [], { name: 'Anna' }, { ownership: view });
    assert.match(
      page,
      / Owners Role Who Country Foreign Partner · Sócio-Administrador · managing partner ANA LIMA Brazil yes /,
    );
    assert.match(page, / People and organisations Role Name auditor RUI LIMA /);
    assert.equal(page.split('ANA LIMA').length, 2);
  });

  test('shows English names beside national ones where the source has them', () => {
    const page = showRecord({
      legalForm: { label: 'Naamloze vennootschap', labels: { nl: 'Naamloze vennootschap', en: 'Public company' } },
      activities: [{ type: 'unlicensed', code: '10', label: 'Leipä', labels: { fi: 'Leipä', en: 'Bread' } }],
    });
    assert.match(page, /Legal form Naamloze vennootschap · Public company Registered since .* Leipä · Bread · 10 /);
  });

  test('explains published sectors, reasons and codes of authorities in English', () => {
    const page = showRecord({
      status: { code: 'X', label: 'V likvidácii', reason: 'Manglende revisor' },
      ending: { reason: 'Судове рішення у зв’язку з банкрутством' },
      sector: { code: '11002', label: 'Nefinanční podniky' },
      registrationAuthority: { id: 'RA000585', other: 'RA999999' },
    });
    assert.match(page, / Nefinanční podniky · non-financial corporations, national private · code 11002 /);
    assert.match(page, / V likvidácii · in English: in liquidation .* Manglende revisor · no auditor /);
    assert.match(page, / Судове рішення у зв’язку з банкрутством · court decision, bankruptcy /);
    assert.match(page, / United Kingdom: [^(]+\(RA000585\) Other RA999999 \(GLEIF’s list of authorities\) /);
    assert.match(showRecord({ sector: { code: '6500' } }), / Sector 6500 · local government /);
  });

  test('links to the page of the official register, but not for an invented company', () => {
    const be = allRegisters.find(({ id }) => id === 'be') ?? assert.fail('no register');
    const states = [{ register: be, ...UP_TO_DATE }];
    const show = (synthetic: boolean) => showPage({}, { provenance: { ...provenance, synthetic } }, states);
    assert.match(show(false), /href="https:\/\/kbopub[^"]+ondernemingsnummer=0123456789"[^>]*>Open at </);
    assert.doesNotMatch(show(true), /Open at/);
  });

  test('JSON has colours, and one block holds all source rows', () => {
    const page = showPage({}, { sourceData: { a: { x: '1' }, b: [{ y: '2' }, { y: '3' }] } });
    assert.match(page, /<span class="key">"canonicalName"<\/span>: <span class="string">"ALPHA NV"<\/span>/);
    const [, source = ''] = /<section[^>]* id="source">(.*?)<\/section>/s.exec(page) ?? [];
    assert.equal(source.match(/<details/g)?.length, 1);
    assert.match(source, /<details class="fold"><summary>Show 3 source fields<\/summary>/);
  });

  test('shows a short list of activities only at the top, and a longer one also as a table', () => {
    const list = (count: number, more: object = {}) =>
      Array.from({ length: count }, (_, index) => ({
        type: 'unlicensed',
        code: `c${index}`,
        label: `l${index}`,
        ...more,
      }));
    assert.doesNotMatch(showRecord({ activities: list(3) }), /All activities|Code Activity/);
    assert.match(showRecord({ activities: list(4) }), / l2 · c2 All activities .* Code Activity .* c3 l3 /);
    assert.match(showRecord({ activities: list(1, { since: '2020' }) }), /All activities .* Code Activity Since /);
    assert.doesNotMatch(showRecord({}), /Activities/);
  });

  test('the industry of a company appears once, and other industries beside their activities', () => {
    const isic = (code: string, label: string) => ({ level: 'class', class: code, label });
    const bread = {
      type: 'unlicensed',
      code: '10.71',
      label: 'Bread',
      isic: isic('1071', 'Manufacture of bakery products'),
    };
    const sugar = { type: 'unlicensed', code: '10.81', label: 'Sugar', isic: isic('1072', 'Manufacture of sugar') };
    const page = showRecord({ activities: [bread, sugar] }, { isic: '1071' });
    assert.match(
      page,
      /Industry \(ISIC\) 1071 Manufacture of bakery products Activities Bread · 10\.71 Sugar · 10\.81 · ISIC 1072 /,
    );
    assert.equal(page.match(/1071 Manufacture/g)?.length, 1);
  });

  test('a company without a name says so instead of showing its number as a name', () => {
    const page = showRecord({ nameMissing: true }, { canonicalName: '0123.456.789' });
    assert.match(page, / Name not published The register does not publish the name of this company, such as /);
    assert.doesNotMatch(showRecord({}), /not published/);
  });

  test('a visitor sees neither the source row nor the JSON, and is invited to sign in', () => {
    const page = showRecord(
      { establishments: Array.from({ length: 21 }, (_, index) => ({ number: `n${index}.` })) },
      { sourceData: { secretColumn: 'secret value' }, provenance },
      [],
      'anonymous',
    );
    assert.match(
      page,
      /ALPHA NV .* Read from row 184,467 of Full\.zip and 2 other parts, published by KBO with data as of /,
    );
    assert.match(page, /The first 20 of 21\. Sign in to see all 21 .* Sign in to see every source field /);
    assert.doesNotMatch(page, /secret|sourceData|canonicalName|uses? one request|used one request/);
  });

  test('names every file with its rows, and says when a company is invented', () => {
    const page = showRecord({}, { provenance });
    assert.match(page, / Row 184,467 As of 1 Jun 2026 Imported 3 Jun 2026, 04:12 UTC /);
    assert.match(
      page,
      / All files enterprise\.csv row 184,467 activity\.csv rows 20–31, 40, 50 and 2 more ranges code\.csv code table /,
    );
    assert.match(page, /This company is fictitious/);
    const supplied = { ...provenance, synthetic: false, files: [{ ...provenance.files[0], url: null }] };
    assert.match(
      showRecord({}, { provenance: supplied }),
      /, supplied by the operator of this service in the format of KBO/,
    );
    const single = showRecord({}, { provenance: { ...provenance, asOf: null, synthetic: false, files: null } });
    assert.doesNotMatch(single, /As of|All files|fictitious/);
  });

  test('says how current the data of the register is', () => {
    const register = allRegisters.find(({ id }) => id === 'be') ?? assert.fail('no register be');
    const state = { ...UP_TO_DATE, register, freshness: 'due' as const };
    const dates = `published ${register.updates} Data as of: 1 Mar 2026 · Last check: 3 hours ago · Imported: 2 Mar 2026`;
    const official = { ...provenance, synthetic: false };
    assert.ok(showRecord({}, { provenance: official }, [state]).includes(`Register data Update due ${dates}`));
    assert.ok(showRecord({}, { provenance }, [state]).includes(`Register data Sample ${dates}`));
  });

  test('links to the same company in other registers', () => {
    const related = makeSummary({
      id: '7049e27b-0aac-5ab8-95ed-1f53c5d232c7',
      countryCode: 'BE',
      register: 'gleif',
      registrationNumber: '549300833725082X7K83',
      canonicalName: 'Alpha NV',
    });
    const gleif = allRegisters.find(({ id }) => id === 'gleif') ?? assert.fail('no register gleif');
    const page = showRecord({}, { related: [related] }, [{ ...UP_TO_DATE, register: gleif }]);
    assert.match(page, /Same company in other registers Alpha NV · 549300833725082X7K83 · Global LEI Index /);
    for (const none of [null, []]) assert.doesNotMatch(showRecord({}, { related: none }), /other registers/);
  });

  test('marks numbers with wrong check digits and shows the code of a status', () => {
    const registration = { authority: 'KBO', type: 'national', registeredAt: null, endedAt: null };
    const page = showRecord(
      {},
      {
        registrations: [
          { ...registration, number: '0001', numberValid: false, status: 'Actief', statusCode: 'AC' },
          { ...registration, type: 'lei', number: '0002', numberValid: true, status: null },
        ],
      },
    );
    assert.match(page, / 0001 check digit invalid National KBO Actief · active · code AC /);
    assert.match(page, / 0002 LEI KBO /);
  });
});

describe('the fields of a record on its page', () => {
  test('groups national fields, and shows yes and no, dates, money, codes and names of countries and languages', () => {
    const page = showRecord({
      employer: false,
      originCountryCode: 'GB',
      nameLanguage: 'nl',
      situation: { code: 'AC', label: 'Actief' },
      pledge: { amount: 1234567.5, currency: 'EUR' },
      lei: { issuedAt: '2021-04-18', validation: 'FULLY_CORROBORATED', checked: true },
      events: [{ isFinal: true, recordedAt: '2025-04-06', modified: '2026-03-19T12:09:25' }],
    });
    for (const part of [
      'General Employer no Origin country code United Kingdom (GB) Name language Dutch Situation Actief · active · code AC Pledge 1,234,567.50 EUR',
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
      'Register status Actief · in English: active · code AC · since 1 Feb 2003 · Oprichting · reason code 000',
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
    assert.match(showRecord({ employees: { code: 'NN' } }), / Employees not an employer, .* · code NN /);
    const text = '{"capital":{"amount":123456789012345.25,"currency":"UAH"}}';
    const record = `{"id":"1","countryCode":"UA","canonicalName":"A","register":null,"registrationNumber":null,"city":null,"status":"active","legalForm":null,"registeredAt":null,"updatedAt":"2026-03-15T00:00:00.000Z","registrations":[],"provenance":null,"sourceData":{},"registry":${text}}`;
    const excerpt = recordExcerpt.select([record]);
    const page = entityPage({
      visitor: 'anonymous',
      publicUrl: '',
      excerpt,
      history: { changes: [], hasMore: false },
      registers: [],
      now: 0,
    }).text;
    assert.match(page, /123,456,789,012,345\.25 UAH/);
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
      'director · Zaakvoerder Anna Peeters person 1 Feb 2003 x',
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
});
