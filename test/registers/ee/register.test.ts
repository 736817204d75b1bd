import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Json, MappedRecord, TableSource, TreeSource } from '../../../src/registers/contract.ts';
import { ee } from '../../../src/registers/ee/register.ts';
import { mapRow as mapTableRow, type Row } from '../../harness/mapping.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importTexts } from '../../harness/register-files.ts';

const table = ee.sources[0] as TableSource<unknown>;
const tree = ee.sources[1] as TreeSource<unknown>;
type JsonObject = { [key: string]: Json };
type Reports = string[][];

/** An invented company. */
const ROW: Row = {
  nimi: ' "Kaskmäe &#038; Saar  LILLED" OÜ ',
  ariregistri_kood: '10000001',
  ettevotja_oiguslik_vorm: 'Osaühing',
  kmkr_nr: 'EE100000000',
  ettevotja_staatus: 'R',
  ettevotja_staatus_tekstina: 'Registrisse kantud',
  ettevotja_esmakande_kpv: '25.04.2014',
  asukoht_ettevotja_aadressis: 'Kase tn 12-3',
  asukoha_ehak_kood: '0176',
  asukoha_ehak_tekstina: 'Haabersti linnaosa, Tallinn, Harju maakond',
  indeks_ettevotja_aadressis: '13513',
  ads_adr_id: '2180000',
  ads_normaliseeritud_taisaadress: 'Harju maakond, Tallinn, Haabersti linnaosa, Kase tn 12-3',
  teabesysteemi_link: 'https://ariregister.rik.ee/est/company/10000001',
};
const GENERAL: JsonObject = {
  esmaregistreerimise_kpv: '25.04.2014',
  staatus: 'R',
  staatus_tekstina: 'Registrisse kantud',
  oiguslik_vorm: 'OÜ',
  oiguslik_vorm_nr: 5,
  oiguslik_vorm_tekstina: 'Osaühing',
  tegutseb_tekstina: 'Jah',
  piirkond_tekstina: 'Tartu Maakohtu registriosakond',
  aadressid: [
    { ehak: '0663', ehak_nimetus: 'Rakvere linn, Lääne-Viru maakond', lopp_kpv: '01.01.2020' },
    {
      ehak: '0176',
      ehak_nimetus: 'Haabersti linnaosa, Tallinn, Harju maakond',
      tanav_maja_korter: 'Kase tn 12-3',
      postiindeks: '13513',
      aadress_ads__ads_normaliseeritud_taisaadress: 'Harju maakond, Tallinn, Haabersti linnaosa, Kase tn 12-3',
      aadress_ads__adr_id: 2180000,
      riik: 'EST',
      riik_tekstina: 'Eesti',
      lopp_kpv: null,
    },
  ],
};
const COMPANY: JsonObject = { ariregistri_kood: 10000001, nimi: ROW.nimi ?? '', yldandmed: GENERAL };

function mapRow(fields: Row, reports: Reports = []): MappedRecord {
  const mapped = mapTableRow(table, fields);
  reports.push(...mapped.reports);
  return mapped.record;
}

function mapTree(general: JsonObject, reports: Reports = []): MappedRecord {
  const context = {
    codes: null,
    report: (...problem: string[]) => reports.push(problem),
    reportUnknown: (...problem: string[]) => reports.push(problem),
  };
  return tree.map({ ...COMPANY, yldandmed: { ...GENERAL, ...general } }, context) as MappedRecord;
}

test('a row of the simple data becomes a record', () => {
  const reports: Reports = [];
  const noDetails = { status: null, registeredAt: null, endedAt: null };
  assert.deepEqual(mapRow(ROW, reports), {
    number: '10000001',
    canonicalName: '"Kaskmäe &#038; Saar  LILLED" OÜ',
    status: 'active',
    legalForm: { label: 'Osaühing' },
    registeredAt: '2014-04-25',
    registrations: [
      {
        authority: 'RIK',
        type: 'national',
        number: '10000001',
        numberValid: true,
        status: 'Registrisse kantud',
        statusCode: 'R',
        registeredAt: '2014-04-25',
        endedAt: null,
      },
      { authority: 'Maksu- ja Tolliamet', type: 'vat', number: 'EE100000000', ...noDetails },
    ],
    activities: [],
    registry: {
      status: { code: 'R', label: 'Registrisse kantud' },
      address: {
        text: 'Kase tn 12-3, Haabersti linnaosa, 13513 Tallinn, Harju maakond',
        street: 'Kase tn 12-3',
        postCode: '13513',
        city: 'Tallinn',
        region: 'Harju maakond',
        district: 'Haabersti linnaosa',
        countryCode: 'EE',
        normalized: 'Harju maakond, Tallinn, Haabersti linnaosa, Kase tn 12-3',
        placeCode: '0176',
        addressId: '2180000',
      },
      link: 'https://ariregister.rik.ee/est/company/10000001',
    },
  });
  assert.deepEqual(reports, []);
  assert.equal(mapRow({ ...ROW, ariregistri_kood: '10000002' }).registrations[0]?.numberValid, false);
});

test('the general data gives the same record, with the current address', () => {
  const [simple, general] = [mapRow(ROW), mapTree({})];
  for (const key of ['number', 'canonicalName', 'status', 'registeredAt'] as const) {
    assert.equal(general[key], simple[key], key);
  }
  assert.deepEqual(general.registrations, simple.registrations.slice(0, 1));
  const country = { country: 'Eesti', countryAlpha3: 'EST' };
  assert.deepEqual(general.registry.address, { ...(simple.registry.address as object), ...country });
  assert.deepEqual(general.registry.addresses, [
    {
      type: 'former',
      text: 'Rakvere linn, Lääne-Viru maakond',
      city: 'Rakvere linn',
      region: 'Lääne-Viru maakond',
      countryCode: 'EE',
      placeCode: '0663',
      until: '2020-01-01',
    },
  ]);
  assert.deepEqual(general.legalForm, { code: 'OÜ', label: 'Osaühing' });
  assert.equal(general.registry.operating, true);
  assert.equal(general.registry.registryOffice, 'Tartu Maakohtu registriosakond');
});

test('a registry code that is a JSON number is padded to eight digits', () => {
  const context = { codes: null, report: () => {}, reportUnknown: () => {} };
  const mapped = tree.map({ ariregistri_kood: 1234567, nimi: 'Lühike', yldandmed: GENERAL }, context);
  assert.equal('number' in mapped && mapped.number, '01234567');
});

test('the status follows from the code, or from the text if the code is missing or unknown', () => {
  const read = (code: string, text: string, reports: Reports = []) => {
    const record = mapRow({ ...ROW, ettevotja_staatus: code, ettevotja_staatus_tekstina: text }, reports);
    return [record.status, record.registrations[0]?.status];
  };
  assert.deepEqual(read('L', 'Likvideerimisel'), ['in_liquidation', 'Likvideerimisel']);
  assert.deepEqual(read('N', 'Pankrotis'), ['insolvent', 'Pankrotis']);
  assert.deepEqual(read('K', 'Kustutatud'), ['dissolved', 'Kustutatud']);
  assert.deepEqual(read('', 'Registrist kustutatud'), ['dissolved', 'Registrist kustutatud']);
  assert.deepEqual(read('H', 'Hoiatuskandega'), ['active', 'Hoiatuskandega']);
  assert.deepEqual(read('R', ''), ['active', 'Registrisse kantud']);
  assert.deepEqual(read('X', ''), ['unknown', null]);
  const reports: Reports = [];
  assert.deepEqual(read('constructor', 'Imelik', reports), ['unknown', 'Imelik']);
  assert.deepEqual(reports, [['status', 'ettevotja_staatus', 'constructor Imelik']]);
});

test('an unreadable date is reported, a row without a name is rejected, and one without a number is kept', () => {
  const reports: Reports = [];
  assert.equal(mapRow({ ...ROW, ettevotja_esmakande_kpv: '31.02.2014' }, reports).registeredAt, null);
  assert.deepEqual(reports, [['ettevotja_esmakande_kpv', '31.02.2014', 'not a date']]);
  assert.deepEqual(mapRow({ ...ROW, nimi: '  ' }), { rejected: 'no name' });
  const numberless = mapRow({ ...ROW, ariregistri_kood: '' });
  assert.equal(numberless.number, null);
  assert.deepEqual(
    numberless.registrations.map(({ type }) => type),
    ['vat'],
  );
});

test('a place without a district, a city in a municipality of the same name and a missing place', () => {
  const place = (text: string) => mapRow({ ...ROW, asukoha_ehak_tekstina: text }).registry.address as JsonObject;
  const { district, city, region } = place('Rakvere linn, Lääne-Viru maakond');
  assert.deepEqual([district, city, region], [undefined, 'Rakvere linn', 'Lääne-Viru maakond']);
  assert.equal('city' in place(''), false);
  assert.equal(place('Tartu linn, Tartu linn, Tartu maakond').text, 'Kase tn 12-3, 13513 Tartu linn, Tartu maakond');
});

test('current activities of both editions of EMTAK are listed, the main one first', () => {
  const entry = (code: string, version: string, main: boolean, until: string | null) => ({
    emtak_kood: code,
    emtak_tekstina: `Tegevus ${code}`,
    emtak_versioon_tekstina: version,
    nace_kood: '62.10',
    on_pohitegevusala: main,
    algus_kpv: '01.01.2020',
    lopp_kpv: until,
  });
  const record = mapTree({
    teatatud_tegevusalad: [
      entry('62011', 'EMTAK 2008', false, null),
      entry('62101', 'EMTAK 2025', true, null),
      entry('62101', 'EMTAK 2025', true, null),
      entry('47111', 'EMTAK 2008', true, '31.12.2021'),
    ],
  });
  const emtak = { type: 'unlicensed', scheme: 'EMTAK' } as const;
  const national = { naceCode: '62.10', from: '2020-01-01' };
  assert.deepEqual(record.activities, [
    { ...emtak, code: '62101', label: 'Tegevus 62101', edition: '2025', main: true, national },
    { ...emtak, code: '62011', label: 'Tegevus 62011', edition: '2008', main: false, national },
  ]);
  assert.deepEqual(record.registry.pastActivities, [
    {
      code: '47111',
      label: 'Tegevus 47111',
      scheme: 'EMTAK',
      edition: '2008',
      main: true,
      naceCode: '62.10',
      from: '2020-01-01',
      until: '2021-12-31',
    },
  ]);
});

test('the general data adds names, statuses, contacts, capital and annual reports', () => {
  const makeReport = (year: number, employees: string) => ({
    majandusaasta_perioodi_algus_kpv: `01.01.${year}`,
    majandusaasta_perioodi_lopp_kpv: `31.12.${year}`,
    tootajate_arv: employees,
  });
  const { registry } = mapTree({
    arinimed: [
      { sisu: 'Vana Kask OÜ', algus_kpv: '25.04.2014', lopp_kpv: '02.05.2018' },
      { sisu: 'Kaskmäe OÜ', algus_kpv: '02.05.2018', lopp_kpv: null },
    ],
    staatused: [{ staatus: 'R', staatus_tekstina: 'Registrisse kantud', algus_kpv: '25.04.2014' }],
    sidevahendid: [
      { liik: 'EMAIL', sisu: 'info@kaskmae.example' },
      { liik: 'EMAIL', sisu: 'info@kaskmae.example' },
      { liik: 'EMAIL', sisu: 'vana@kaskmae.example', lopp_kpv: '01.01.2020' },
      { liik: 'MOB', sisu: '+372 5000000' },
      { liik: 'TEL', sisu: '6000000' },
      { liik: 'WWW', sisu: 'kaskmae.example' },
      { liik: 'MUU', sisu: 'tuvipost' },
    ],
    kapitalid: [
      { kapitali_suurus: '40000', kapitali_valuuta: 'EEK', lopp_kpv: '01.01.2011' },
      { kapitali_suurus: '2500.00', kapitali_valuuta: 'EUR', algus_kpv: '02.01.2011' },
    ],
    info_majandusaasta_aruannetest: [makeReport(2023, '4'), makeReport(2024, '0')],
  });
  assert.deepEqual(registry.previousNames, [{ name: 'Vana Kask OÜ', from: '2014-04-25', until: '2018-05-02' }]);
  assert.deepEqual(registry.statusHistory, [{ code: 'R', label: 'Registrisse kantud', from: '2014-04-25' }]);
  assert.deepEqual(registry.status, { code: 'R', label: 'Registrisse kantud', since: '2014-04-25' });
  assert.deepEqual(registry.contacts, {
    emails: ['info@kaskmae.example'],
    phones: ['+372 5000000', '6000000'],
    websites: ['kaskmae.example'],
    other: ['tuvipost'],
  });
  assert.deepEqual(registry.capital, { amount: 2500, currency: 'EUR', from: '2011-01-02' });
  assert.deepEqual(registry.employees, { count: 0, asOf: '2024-12-31' });
  assert.deepEqual((registry.annualReports as Json[])[0], { from: '2023-01-01', until: '2023-12-31', employees: 4 });
});

test('an unreadable value in the general data is reported with its path', () => {
  const reports: Reports = [];
  const record = mapTree(
    {
      tegutseb_tekstina: 'Võib-olla',
      kustutamise_kpv: '99.99.2020',
      kapitalid: [{ kapitali_suurus: 'palju' }],
      arinimed: [{ sisu: 'Vana', lopp_kpv: 'eile' }],
    },
    reports,
  );
  assert.deepEqual(reports.map(([path]) => path).sort(), [
    'yldandmed.arinimed.lopp_kpv',
    'yldandmed.kapitalid.kapitali_suurus',
    'yldandmed.kustutamise_kpv',
    'yldandmed.tegutseb_tekstina',
  ]);
  assert.equal('capital' in record.registry, false);
});

test('the file of cards is refused by name', async () => {
  const file = JSON.stringify([{ ariregistri_kood: 10000001, nimi: 'Kask OÜ', registrikaardid: [] }]);
  await assert.rejects(importTexts(ee, { 'kaardid.json': file }), /file of registry cards.*Import .*lihtandmed/);
});

const sample = realSample('ee/sample_record.json');

if (sample !== undefined) {
  test('an official record is mapped without a report', () => {
    const reports: Reports = [];
    const record = mapRow(JSON.parse(readFileSync(sample, 'utf8')) as Record<string, string>, reports);
    assert.deepEqual(reports, []);
    assert.equal(record.registrations[0]?.numberValid, true);
    assert.equal(record.status, 'active');
  });
}
