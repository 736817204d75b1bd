import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { realSample } from '../../../test/harness/real-samples.ts';
import { importTexts } from '../../../test/harness/register-files.ts';
import type { Json, MappedRecord, TableSource, TreeSource } from '../contract.ts';
import { COLUMNS } from './columns.ts';
import { findCheckDigit, isValidNumber } from './number.ts';
import { no } from './register.ts';

const table = no.sources[0] as TableSource<unknown>;
const tree = no.sources[1] as TreeSource<unknown>;
type JsonObject = { [key: string]: Json };

/** An invented company, as a row of the CSV and as a JSON object. */
const ROW = {
  organisasjonsnummer: '810000007',
  navn: ' FJORDHEIM  "NORD" & SØNN AS ',
  'organisasjonsform.kode': 'AS',
  'organisasjonsform.beskrivelse': 'Aksjeselskap',
  'naeringskode1.kode': '62.010',
  'naeringskode1.beskrivelse': 'Programmeringstjenester',
  'naeringskode2.kode': '00.000',
  'naeringskode2.beskrivelse': 'Uoppgitt',
  'naeringskode3.kode': '62.010',
  'naeringskode3.beskrivelse': 'Programmeringstjenester',
  'hjelpeenhetskode.kode': '70.100',
  'hjelpeenhetskode.beskrivelse': 'Hovedkontortjenester',
  harRegistrertAntallAnsatte: 'true',
  antallAnsatte: '12',
  registreringsdatoantallansatteNAVAaregisteret: '2026-03-10',
  'forretningsadresse.adresse': 'c/o Berg Regnskap AS/nStorgata 6',
  'forretningsadresse.poststed': 'OSLO',
  'forretningsadresse.postnummer': '0151',
  'forretningsadresse.landkode': 'NO',
  registreringsdatoenhetsregisteret: '1995-02-19',
  stiftelsesdato: '1855-01-01',
  registrertIMvaRegisteret: 'true',
  registreringsdatoMerverdiavgiftsregisteret: '1996-01-01',
  frivilligMvaRegistrertBeskrivelser: 'Utleier av bygg eller anlegg',
  konkurs: 'false',
  underAvvikling: 'false',
  underTvangsavviklingEllerTvangsopplosning: 'false',
  vedtektsfestetFormaal: 'Drift av skole/næring og\nalt som hører til.',
  sisteInnsendteAarsregnskap: '2024',
  overordnetEnhet: '810000015',
  'kapital.belop': '30000.50',
  'kapital.antallAksjer': '300',
  'kapital.valuta': 'NOK',
  'kapital.fulltInnbetalt': 'true',
  'kapital.innfortDato': '2025-07-02',
};
const ENTITY: JsonObject = {
  organisasjonsnummer: '810000007',
  navn: ' FJORDHEIM  "NORD" & SØNN AS ',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap', _links: {} },
  naeringskode1: { kode: '62.010', beskrivelse: 'Programmeringstjenester' },
  naeringskode2: { kode: '00.000', beskrivelse: 'Uoppgitt' },
  naeringskode3: { kode: '62.010', beskrivelse: 'Programmeringstjenester' },
  hjelpeenhetskode: { kode: '70.100', beskrivelse: 'Hovedkontortjenester' },
  harRegistrertAntallAnsatte: true,
  antallAnsatte: 12,
  registreringsdatoAntallAnsatteNAVAaregisteret: '2026-03-10',
  forretningsadresse: {
    adresse: ['c/o Berg Regnskap AS', 'Storgata 6'],
    poststed: 'OSLO',
    postnummer: '0151',
    landkode: 'NO',
  },
  registreringsdatoEnhetsregisteret: '1995-02-19',
  stiftelsesdato: '1855-01-01',
  registrertIMvaregisteret: true,
  registreringsdatoMerverdiavgiftsregisteret: '1996-01-01',
  frivilligMvaRegistrertBeskrivelser: ['Utleier av bygg eller anlegg'],
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
  vedtektsfestetFormaal: ['Drift av skole/næring og', 'alt som hører til.'],
  sisteInnsendteAarsregnskap: '2024',
  overordnetEnhet: '810000015',
  kapital: { belop: 30000.5, antallAksjer: 300, valuta: 'NOK', fulltInnbetalt: true, innfortDato: '2025-07-02' },
  paategninger: [],
  _links: {},
  respons_klasse: 'Enhet',
};

type Reports = string[][];

function mapRow(row: Readonly<Record<string, string>>, reports: Reports = []): MappedRecord {
  const context = {
    codes: null,
    report: (...problem: string[]) => reports.push(problem),
    reportUnknown: (...problem: string[]) => reports.push(problem),
  };
  const mapped = table.map?.((column) => row[column] ?? '', context);
  assert.ok(mapped !== undefined && !('rejected' in mapped));
  return mapped;
}

function mapTree(record: JsonObject, reports: Reports = []): MappedRecord {
  const mapped = tree.map(record, {
    codes: null,
    report: (...problem: string[]) => reports.push(problem),
    reportUnknown: (...problem: string[]) => reports.push(problem),
  });
  assert.ok(!('rejected' in mapped));
  return mapped;
}

test('NO: a row of the CSV is mapped completely', () => {
  const reports: Reports = [];
  assert.deepEqual(mapRow(ROW, reports), {
    number: '810000007',
    canonicalName: 'FJORDHEIM  "NORD" & SØNN AS',
    status: 'active',
    legalForm: 'AS',
    registeredAt: '1995-02-19',
    registrations: [
      {
        authority: 'Brønnøysundregistrene',
        type: 'national',
        number: '810000007',
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
    activities: [{ type: 'unlicensed', code: '62.010', label: 'Programmeringstjenester' }],
    registry: {
      numberValid: true,
      vatNumber: 'NO810000007MVA',
      legalFormName: 'Aksjeselskap',
      foundedAt: '1855-01-01',
      address: { lines: ['c/o Berg Regnskap AS', 'Storgata 6'], postCode: '0151', city: 'OSLO', countryCode: 'NO' },
      supportUnit: { code: '70.100', label: 'Hovedkontortjenester' },
      purpose: 'Drift av skole/næring og alt som hører til.',
      parentNumber: '810000015',
      employees: 12,
      employeesRegistered: true,
      employeesReportedAt: '2026-03-10',
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

test('NO: the check digit is 11 minus the remainder, with 0 for 11; no number is valid where it would be 10', () => {
  const expected: [digits: string, check: number | null][] = [
    ['93736631', 0],
    ['63448812', null],
    ['86963194', 9],
    ['98622242', 1],
  ];
  for (const [digits, check] of expected) {
    for (let digit = 0; digit < 10; digit++) {
      assert.equal(isValidNumber(`${digits}${digit}`), digit === check, `${digits}${digit}`);
    }
  }
  for (const number of ['974760673', '971032081', '987654325']) assert.ok(isValidNumber(number), number);
  assert.equal(findCheckDigit('63448812'), null);
  for (const number of ['974760674', '97476067', '9747606730', '97476067X', '9747606X0', ''])
    assert.ok(!isValidNumber(number), number);
  assert.equal(mapRow({ ...ROW, organisasjonsnummer: '974760674' }).registry.numberValid, false);
});

test('NO: the flags decide the status, the more serious one first', () => {
  const status = (fields: Record<string, string>) => mapRow({ ...ROW, ...fields }).status;
  const compulsory = { underTvangsavviklingEllerTvangsopplosning: 'true' };
  assert.equal(status({ konkurs: 'true', underAvvikling: 'true' }), 'insolvent');
  assert.equal(status({ underRekonstruksjonsforhandlingDato: '2026-01-05', underAvvikling: 'true' }), 'insolvent');
  assert.equal(status({ underUtenlandskInsolvensbehandlingDato: '2026-01-05' }), 'insolvent');
  assert.equal(status({ underAvvikling: 'true' }), 'in_liquidation');
  assert.equal(status(compulsory), 'in_liquidation');
  assert.equal(status({ underAvvikling: 'true', ...compulsory }), 'in_liquidation');
  assert.equal(status({ 'organisasjonsform.kode': 'KBO' }), 'active');
  const deleted = mapTree({ ...ENTITY, slettedato: '2026-02-01' });
  assert.equal(deleted.status, 'dissolved');
  assert.equal(deleted.registrations[0]?.endedAt, '2026-02-01');
});

test('NO: an invalid value is left out and reported under the name that its edition uses', () => {
  const reports: Reports = [];
  const broken = { registreringsdatoenhetsregisteret: '1995-02-30', antallAnsatte: 'ti', konkurs: 'toString' };
  const record = mapRow({ ...ROW, ...broken, 'kapital.belop': 'mye' }, reports);
  assert.deepEqual(reports, [
    ['registreringsdatoenhetsregisteret', '1995-02-30', 'not a date'],
    ['antallAnsatte', 'ti', 'not a whole number'],
    ['kapital.belop', 'mye', 'not a number'],
    ['konkurs', 'toString', 'neither true nor false'],
  ]);
  assert.equal(record.registeredAt, null);
  assert.equal(record.status, 'unknown');
  const inJson: Reports = [];
  mapTree({ ...ENTITY, registreringsdatoEnhetsregisteret: 'i fjor' }, inJson);
  assert.deepEqual(inJson, [['registreringsdatoEnhetsregisteret', 'i fjor', 'not a date']]);
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
  ]);
  assert.deepEqual(record.registry.annotations, [{ type: 'FADR', text: 'Adressen er ukjent.', date: '2024-05-06' }]);
  assert.deepEqual(record.registry.foreign, {
    number: '550000-1234',
    registerName: 'Bolagsverket',
    registerAddress: { lines: ['Gatan 1'], city: 'SUNDSVALL', country: 'Sverige' },
    legalFormCode: 'AB',
    legalForm: 'Aktiebolag',
    legalFormNorwegian: 'Aksjeselskap',
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
    const { content } = no.generate(rows, seed);
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
  const wrong = records.filter(({ registry }) => registry.numberValid === false).length;
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
    assert.equal(record.registry.numberValid, true);
    assert.equal(record.legalForm, 'ASA');
    assert.equal(record.activities.length, 3);
  });
}
