import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COLUMNS } from '../../../src/registers/no/columns.ts';
import { no } from '../../../src/registers/no/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importTexts } from '../../harness/register-files.ts';
import { ENTITY, type JsonObject, mapRow, mapTree, type Reports, ROW, table, tree } from './fixture.ts';

test('NO: a row of the CSV is mapped completely', () => {
  const reports: Reports = [];
  assert.deepEqual(mapRow(ROW, reports), {
    number: '810000007',
    canonicalName: 'FJORDHEIM  "NORD" & SØNN AS',
    status: 'active',
    legalForm: { code: 'AS', label: 'Aksjeselskap' },
    registeredAt: '1995-02-19',
    registrations: [
      {
        authority: 'Brønnøysundregistrene',
        type: 'national',
        number: '810000007',
        numberValid: true,
        status: null,
        registeredAt: '1995-02-19',
        endedAt: null,
      },
      {
        authority: 'Skatteetaten',
        type: 'vat',
        number: 'NO810000007MVA',
        status: null,
        registeredAt: '1996-01-01',
        endedAt: null,
      },
    ],
    activities: [{ type: 'unlicensed', code: '62.010', label: 'Programmeringstjenester', scheme: 'SN' }],
    registry: {
      foundedAt: '1855-01-01',
      address: {
        text: 'c/o Berg Regnskap AS, Storgata 6, 0151 OSLO',
        lines: ['c/o Berg Regnskap AS', 'Storgata 6'],
        postCode: '0151',
        city: 'OSLO',
        countryCode: 'NO',
      },
      supportUnit: { code: '70.100', label: 'Hovedkontortjenester' },
      purpose: 'Drift av skole/næring og alt som hører til.',
      parentNumber: '810000015',
      employees: { count: 12, registered: true, reportedAt: '2026-03-10' },
      lastAnnualAccountsYear: 2024,
      capital: { amount: 30000.5, currency: 'NOK', shares: 300, fullyPaid: true, enteredAt: '2025-07-02' },
      vatRegistered: true,
      vatRegisteredAt: '1996-01-01',
      voluntaryVatReasons: ['Utleier av bygg eller anlegg'],
      bankrupt: false,
      windingUp: false,
      compulsoryWindingUp: false,
    },
  });
  assert.deepEqual(reports, []);
});

test('NO: both editions give the same record', () => {
  assert.deepEqual(mapTree(ENTITY), mapRow(ROW));
});

test('NO: a postal address, contacts and an address in another country', () => {
  const { registry } = mapRow({
    ...ROW,
    'postadresse.adresse': 'Trinity House,/nHälsingegatan 40',
    'postadresse.poststed': 'SE-113 43 STOCKHOLM',
    'postadresse.land': 'Sverige',
    'postadresse.landkode': 'SE',
    hjemmeside: 'www.fjordheim.example',
    epostadresse: 'post@fjordheim.example',
    telefon: '22 00 00 00',
    mobil: '900 00 000',
  });
  assert.deepEqual(registry.addresses, [
    {
      type: 'postal',
      text: 'Trinity House, Hälsingegatan 40, SE-113 43 STOCKHOLM, Sverige',
      lines: ['Trinity House', 'Hälsingegatan 40'],
      postCode: '113 43',
      city: 'STOCKHOLM',
      country: 'Sverige',
      countryCode: 'SE',
    },
  ]);
  const { address } = mapRow({ ...ROW, 'forretningsadresse.land': 'Norge' }).registry as RegistryOf;
  assert.deepEqual([address?.text, address?.country], ['c/o Berg Regnskap AS, Storgata 6, 0151 OSLO', 'Norge']);
  assert.deepEqual(registry.contacts, {
    websites: ['www.fjordheim.example'],
    emails: ['post@fjordheim.example'],
    phones: ['22 00 00 00', '900 00 000'],
  });
});

test('NO: missing values are left out, not set to zero', () => {
  const record = mapRow({ navn: 'TOMHEIM', registrertIMvaRegisteret: 'true' });
  assert.equal(record.number, null);
  assert.deepEqual(record.registrations, []);
  assert.deepEqual(record.activities, []);
  assert.deepEqual(record.registry, { vatRegistered: true });
  assert.deepEqual(mapRow({ ...ROW, registrertIMvaRegisteret: 'false' }).registrations.length, 1);
  const context = {
    codes: null,
    report: () => assert.fail('nothing to report'),
    reportUnknown: () => assert.fail('nothing to report'),
  };
  assert.deepEqual(
    table.map?.(() => ' ', context),
    { rejected: 'no name' },
  );
  assert.deepEqual(tree.map({ organisasjonsnummer: '810000007', navn: null }, context), { rejected: 'no name' });
});

test('NO: foreign companies, previous names and annotations are read from the JSON', () => {
  const record = mapTree({
    ...ENTITY,
    historiskeNavn: [
      { navn: 'FJORDHEIM BRUK', fraDato: '1990-01-01 10:00:00', tilDato: '1995-02-19 16:23:00' },
      { navn: 'GAMLE FJORDHEIM AS', fraDato: '1995-02-19 16:23:00', tilDato: '2001-05-11 08:32:09' },
      { navn: 'FJORDHEIM AS', fraDato: '2001-05-11 08:32:09', tilDato: null },
    ],
    paategninger: [{ infotype: 'FADR', tekst: 'Adressen er ukjent.', innfoertDato: '2024-05-06' }],
    registreringsnummerIHjemlandet: '550000-1234',
    utenlandskRegisterNavn: 'Bolagsverket',
    utenlandskRegisterAdresse: { adresse: ['Gatan 1'], poststed: 'SUNDSVALL', land: 'Sverige' },
    foretaksformIHjemlandet: { kode: 'AB', beskrivelse: 'Aktiebolag', beskrivelseBokmaal: 'Aksjeselskap' },
  });
  assert.deepEqual(record.registry.previousNames, [
    { name: 'GAMLE FJORDHEIM AS', from: '1995-02-19', until: '2001-05-11' },
    { name: 'FJORDHEIM BRUK', from: '1990-01-01', until: '1995-02-19' },
  ]);
  assert.deepEqual(record.registry.annotations, [{ type: 'FADR', text: 'Adressen er ukjent.', date: '2024-05-06' }]);
  assert.deepEqual(record.registry.foreign, {
    registerName: 'Bolagsverket',
    registerAddress: { lines: ['Gatan 1'], city: 'SUNDSVALL', country: 'Sverige' },
    legalForm: { code: 'AB', label: 'Aktiebolag', labels: { nb: 'Aksjeselskap' } },
  });
  assert.deepEqual(record.registrations[2], {
    authority: 'Bolagsverket',
    type: 'foreign',
    number: '550000-1234',
    status: null,
    registeredAt: null,
    endedAt: null,
  });
});

test('NO: generated entities have the real format, depend only on the seed, and map without reports', () => {
  const take = (rows: number, seed: number) => {
    const { content } = generateFile(no, rows, seed);
    assert.ok(content.type === 'json' && content.layout === 'array');
    return [...content.values] as JsonObject[];
  };
  const entities = take(3000, 7);
  assert.deepEqual(take(50, 7), entities.slice(0, 50));
  assert.notDeepEqual(take(50, 8), entities.slice(0, 50));
  const reports: Reports = [];
  const records = entities.map((entity) => mapTree(entity, reports));
  assert.deepEqual(reports, []);
  assert.equal(new Set(records.map(({ number }) => number)).size, 3000);
  assert.ok(new Set(records.map(({ canonicalName }) => canonicalName)).size > 2900);
  const wrong = records.filter(({ registrations }) => registrations[0]?.numberValid === false).length;
  assert.ok(wrong > 0 && wrong < 20, `${wrong} wrong check digits`);
  assert.deepEqual(new Set(records.map(({ status }) => status)), new Set(['active', 'insolvent', 'in_liquidation']));
  for (const key of new Set(entities.flatMap(Object.keys))) assert.ok(tree.keys.includes(key), key);
});

test('NO: the files of sub-units and pages of the API are refused by name', async () => {
  assert.equal(COLUMNS.length, 90);
  for (const column of table.required) assert.ok(table.columns.includes(column), column);
  const subUnit = {
    organisasjonsnummer: '810000015',
    navn: 'FJORDHEIM AVD NORD',
    'organisasjonsform.kode': 'BEDR',
    'beliggenhetsadresse.adresse': 'Storgata 6',
    overordnetEnhet: '810000007',
  };
  const csv = `${Object.keys(subUnit).join(',')}\n${Object.values(subUnit).join(',')}\n`;
  const page = { _embedded: { enheter: [ENTITY] }, _links: {}, page: { size: 20, totalElements: 1 } };
  const refused: [string, string, RegExp][] = [
    ['underenheter_alle.csv', csv, /underenheter_alle\.csv: this file lists sub-units .*Import enheter_alle\.json\.gz/],
    ['underenheter_alle.json', JSON.stringify([subUnit]), /this file lists sub-units .*enheter\/lastned/],
    ['enheter.json', JSON.stringify(page), /one page of search results of the API.*Import enheter_alle\.json\.gz/],
  ];
  for (const [name, text, message] of refused) await assert.rejects(importTexts(no, { [name]: text }), message, name);
});

const sample = realSample('no/entity_923609016.json');

if (sample !== undefined) {
  test('NO: the official sample maps without reports', () => {
    const reports: Reports = [];
    const record = mapTree(JSON.parse(readFileSync(sample, 'utf8')) as JsonObject, reports);
    assert.deepEqual(reports, []);
    assert.equal(record.registrations[0]?.numberValid, true);
    assert.deepEqual(record.legalForm, { code: 'ASA', label: 'Allmennaksjeselskap' });
    assert.equal(record.activities.length, 3);
  });
}
