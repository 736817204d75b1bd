import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MappedRecord, TableSource } from '../../../src/registers/contract.ts';
import { ro } from '../../../src/registers/ro/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { generateFile } from '../../../synthetic/generators.ts';
import { listSyntheticRows, mapRow, parseTable, type Row } from '../../harness/mapping.ts';
import { importTexts } from '../../harness/register-files.ts';

const sources = new Map(ro.sources.map((source) => [source.name, source as TableSource<unknown>]));
const sourceOf = (name: string) => sources.get(name) as TableSource<unknown>;
const firms = sourceOf('OD_FIRME');

/** Files as published; the companies are invented. */
const FILES: Record<string, string> = {
  OD_FIRME: `\ufeffDENUMIRE^CUI^COD_INMATRICULARE^DATA_INMATRICULARE^EUID^FORMA_JURIDICA^ADR_TARA^ADR_JUDET^ADR_LOCALITATE^ADR_DEN_STRADA^ADR_NR_STRADA^ADR_BLOC^ADR_SCARA^ADR_ETAJ^ADR_APARTAMENT^ADR_COD_POSTAL^ADR_SECTOR^ADR_COMPLETARE^WEB^TARA_FIRMA_MAMA\r
"LEMN & PIATRĂ" SRL^10000008^J40/630/1992^23/01/1992^ROONRC.J40/630/1992^SRL^România^Bucureşti^Bucureşti Sectorul 6^Şos. VIRTUŢII^148^B2^A^3^12^ 060787^6^spatiul E47^www.exemplu.ro^Germania\r
" CARDIO SRL^0^J2002000372404^^^SRL^^^^^^^^^^^^^^\r
`,
  OD_STARE_FIRMA: '\ufeffCOD_INMATRICULARE^COD\r\nJ40/630/1992^1084\r\nJ40/630/1992^1048\r\n',
  OD_CAEN_AUTORIZAT:
    '\ufeffCOD_INMATRICULARE^COD_CAEN_AUTORIZAT^VER_CAEN_AUTORIZAT\r\nJ40/630/1992^0111^2\r\nJ40/630/1992^0111^3\r\n',
  OD_REPREZENTANTI_LEGALI:
    'COD_INMATRICULARE^PERSOANA_IMPUTERNICITA^CALITATE^DATA_NASTERE^LOCALITATE_NASTERE^JUDET_NASTERE^TARA_NASTERE^LOCALITATE^JUDET^TARA\r\n' +
    'J40/630/1992^POP ION^administrator^^^^^Cluj-Napoca^Cluj^România\r\n',
  OD_SUCURSALE_ALTE_STATE_MEMBRE:
    'COD_INMATRICULARE^TIP_UNITATE^DENUMIRE_SUCURSALA^EUID^COD_FISCAL^TARA\r\nJ40/630/1992^SUCURSALA^LEMN WIEN^ATBRA.1^^Austria\r\n',
  N_STARE_FIRMA:
    '\ufeffCOD^DENUMIRE\r\n1048^funcţiune\r\n1084^radiată\r\n1070^suspendare activitate\r\n1071^ridicare suspendare\r\n1072^alte menţiuni\r\n',
  N_CAEN:
    'SECTIUNEA^SUBSECTIUNEA^DIVIZIUNEA^GRUPA^CLASA^DENUMIRE^VERSIUNE_CAEN\r\nA^^01^011^0111^Cultivarea cerealelor^2\r\n',
};

async function readTables(): Promise<Record<string, Row[]>> {
  const tables = Object.entries(FILES).map(
    async ([name, text]) => [name, await parseTable(sourceOf(name), text)] as const,
  );
  return Object.fromEntries(await Promise.all(tables));
}

const tables = await readTables();
const codes = ro.readCodes(new Map(Object.entries(tables)));

test('a company is mapped from all files; its name begins with a quote', () => {
  const { record, reports } = mapRow(firms, tables.OD_FIRME?.[0] ?? {}, { codes, rows: tables });
  assert.deepEqual(reports, [['activity', 'OD_CAEN_AUTORIZAT.COD_CAEN_AUTORIZAT', '0111 (version 3)']]);
  const nothing = { status: null, registeredAt: null, endedAt: null };
  assert.deepEqual(record, {
    number: 'J40/630/1992',
    canonicalName: '"LEMN & PIATRĂ" SRL',
    status: 'dissolved',
    legalForm: { code: 'SRL' },
    registeredAt: '1992-01-23',
    registrations: [
      {
        authority: 'ONRC',
        type: 'national',
        number: 'J40/630/1992',
        status: 'radiată, funcţiune',
        statusCode: '1084, 1048',
        registeredAt: '1992-01-23',
        endedAt: null,
      },
      { authority: 'ANAF', type: 'tax', number: '10000008', numberValid: true, ...nothing },
      { authority: 'BRIS', type: 'euid', number: 'ROONRC.J40/630/1992', ...nothing },
    ],
    activities: [
      { type: 'unlicensed', code: '0111', label: 'Cultivarea cerealelor', scheme: 'CAEN', edition: '2' },
      { type: 'unlicensed', code: '0111', label: null, scheme: 'CAEN', edition: '3' },
    ],
    registry: {
      status: { code: '1084', label: 'radiată' },
      statuses: [
        { code: '1084', label: 'radiată' },
        { code: '1048', label: 'funcţiune' },
      ],
      address: {
        text: 'Şos. VIRTUŢII nr. 148, bl. B2, sc. A, et. 3, ap. 12, spatiul E47, 060787 Bucureşti Sectorul 6',
        building: 'B2',
        street: 'Şos. VIRTUŢII',
        number: '148',
        unit: 'sc. A, et. 3, ap. 12',
        district: 'Sectorul 6',
        postCode: '060787',
        city: 'Bucureşti',
        region: 'Bucureşti',
        country: 'România',
        countryCode: 'RO',
        staircase: 'A',
        floor: '3',
        apartment: '12',
        details: 'spatiul E47',
      },
      contacts: { websites: ['www.exemplu.ro'] },
      parentCountry: 'Germania',
      parties: [
        {
          role: 'director',
          roleLabel: 'administrator',
          name: 'POP ION',
          country: 'România',
          countryCode: 'RO',
          city: 'Cluj-Napoca',
          region: 'Cluj',
        },
      ],
      establishments: [{ number: 'ATBRA.1', name: 'LEMN WIEN', type: 'SUCURSALA', country: 'Austria' }],
    },
  } satisfies MappedRecord);
});

test('an unclosed quote is part of the name; CUI 0 is left out; without status rows the status is unknown', () => {
  const { record, reports } = mapRow(firms, tables.OD_FIRME?.[1] ?? {}, { codes });
  assert.deepEqual([record.canonicalName, record.number, record.status], ['" CARDIO SRL', 'J2002000372404', 'unknown']);
  assert.deepEqual([record.registrations.length, record.registry, reports], [1, {}, []]);
});

test('the complete set of status rows decides the status, in any order', () => {
  const statusOf = (...set: string[]) => {
    const rows = { OD_STARE_FIRMA: set.map((COD) => ({ COD })) };
    const { record, reports } = mapRow(firms, tables.OD_FIRME?.[0] ?? {}, { codes, rows });
    return [record.status, reports.length];
  };
  assert.deepEqual(statusOf('1048'), ['active', 0]);
  assert.deepEqual(statusOf('1048', '1084'), ['dissolved', 0]);
  assert.deepEqual(statusOf('1084', '1048'), ['dissolved', 0]);
  assert.deepEqual(statusOf('1048', '2069'), ['active', 0], 'an expired registered office');
  assert.deepEqual(statusOf('2069'), ['unknown', 0]);
  assert.deepEqual(statusOf('1052', '1139', '1048'), ['insolvent', 0]);
  assert.deepEqual(statusOf('1048', '1036'), ['active', 0], 'users of the data say that it still trades');
  assert.deepEqual(statusOf('1048', '1070'), ['inactive', 0], 'by the label of the list');
  assert.deepEqual(statusOf('1048', '1071'), ['active', 0], 'a suspension that was lifted');
  assert.deepEqual(
    statusOf('1048', '1151'),
    ['unknown', 0],
    'users of the data say that it no longer trades, but not why',
  );
  assert.deepEqual(statusOf('1048', '4711'), ['active', 1], 'an unknown code is reported');
  assert.deepEqual(statusOf('1072', '1048'), ['active', 0], 'its label says nothing about the status');
  assert.deepEqual(statusOf('1072'), ['unknown', 1], 'no other code decides');
});

test('without the list of statuses, an expired office has no effect, and the import says what is missing', async () => {
  const { N_STARE_FIRMA, ...given } = FILES;
  const statuses = 'COD_INMATRICULARE^COD\r\nJ40/630/1992^1048\r\nJ40/630/1992^2069\r\nJ2002000372404^1052\r\n';
  const { result, entities } = await importTexts(ro, { ...given, OD_STARE_FIRMA: statuses });
  assert.deepEqual(
    entities.map(({ status, registry }) => [status, registry.status]),
    [
      ['active', { code: '1048', label: 'funcțiune' }],
      ['in_liquidation', { code: '1052', label: 'lichidare' }],
    ],
  );
  assert.deepEqual(entities[0]?.registry.statuses[1], { code: '2069', label: 'sediu expirat' });
  assert.ok(result.warnings.some((warning) => /^no "N_STARE_FIRMA" file was given: .*no label/.test(warning)));
});

test('fiscal codes: check digit over right-aligned weights', () => {
  const valid = (CUI: string) =>
    mapRow(firms, { ...tables.OD_FIRME?.[0], CUI }, { codes }).record.registrations[1]?.numberValid;
  assert.equal(valid('14399840'), true, 'as in the official sample');
  assert.equal(valid('14399841'), false);
  const expected: [digits: string, check: number][] = [
    ['1', 9],
    ['934523867', 3],
    ['195255126', 9],
    // The sum times 10 is 10 modulo 11, which is written as 0.
    ['362178182', 0],
  ];
  for (const [digits, check] of expected) {
    for (let digit = 0; digit < 10; digit++) assert.equal(valid(`${digits}${digit}`), digit === check, digits);
  }
  for (const number of ['9', '09345238673']) assert.equal(valid(number), false, `${number} has too few or many digits`);
  assert.equal(valid('1850101400010'), undefined, 'the personal number of a sole trader is not a fiscal code');
  const { reports } = mapRow(firms, { ...tables.OD_FIRME?.[0], CUI: 'RO1' }, { codes });
  assert.deepEqual(reports, [['CUI', 'RO1', 'not a fiscal code']]);
});

test('companies with the same fiscal code stay separate records, identified by their register numbers', async () => {
  const header = FILES.OD_FIRME?.split('\r\n')[0];
  const numbers = ['J40/630/1992', 'J2002000372404', 'F12/1/2003'];
  const lines = numbers.map((number) => `BRAD ${number}^14399840^${number}^^^SRL${'^'.repeat(14)}`);
  const { result, entities } = await importTexts(ro, {
    'OD_FIRME.CSV': `${[header, ...lines].join('\r\n')}\r\n`,
    'OD_STARE_FIRMA.CSV': `\ufeffCOD_INMATRICULARE^COD\r\nJ40/630/1992^1084\r\nJ2002000372404^1048\r\n`,
  });
  assert.deepEqual([result.counts.added, result.counts.duplicates], [3, 0]);
  const found = new Map(entities.map((entity) => [entity.registrations[0].number, entity]));
  assert.deepEqual(
    numbers.map((number) => [found.get(number)?.canonicalName, found.get(number)?.status]),
    [
      ['BRAD J40/630/1992', 'dissolved'],
      ['BRAD J2002000372404', 'active'],
      ['BRAD F12/1/2003', 'unknown'],
    ],
  );
  assert.ok(entities.every(({ registrations }) => registrations[1].number === '14399840'));
  assert.equal(new Set(entities.map(({ id }) => id)).size, 3);
});

test('a post code gets its lost zero back; only an address abroad names its country', () => {
  const read = (ADR_COD_POSTAL: string, ADR_TARA: string) => {
    const { address } = mapRow(firms, { DENUMIRE: 'X', ADR_LOCALITATE: 'Y', ADR_COD_POSTAL, ADR_TARA }, { codes })
      .record.registry as RegistryOf;
    return [address?.text, address?.postCode, address?.country];
  };
  assert.deepEqual(read('30152', 'Romania'), ['030152 Y', '030152', 'Romania']);
  assert.deepEqual(read('30152', 'Germania'), ['30152 Y, Germania', '30152', 'Germania']);
});

test('a row without a name is rejected', () => {
  assert.deepEqual(mapRow(firms, { DENUMIRE: ' ', CUI: '19' }, { codes }).result, { rejected: 'no name' });
});

test('the layouts of 2015 and 2018 are mapped', async () => {
  const old = sourceOf('firme 2015');
  const [row] = await parseTable(
    old,
    'DENUMIRE|CUI|COD_INMATRICULARE|STARE_FIRMA|JUDET|LOCALITATE\nBRAD SRL|14399840|J40/1/1992|radiată|Cluj|Turda\n',
  );
  const first = mapRow(old, row ?? {}, { codes }).record;
  assert.deepEqual(
    [first.status, first.registry.address, first.registry.status],
    ['dissolved', { text: 'Turda, Cluj', city: 'Turda', region: 'Cluj' }, { label: 'radiată' }],
  );
  const later = sourceOf('firme 2018');
  const [next] = await parseTable(
    later,
    'DENUMIRE^CUI^COD_INMATRICULARE^EUID^STARE_FIRMA^ADRESA\nBRAD SRL^14399840^J40/1/1992^X^1048^Turda 5\n',
  );
  const second = mapRow(later, next ?? {}, { codes }).record;
  assert.deepEqual([second.status, second.registry.address], ['active', { text: 'Turda 5' }]);
  assert.deepEqual([second.registrations[0]?.status, second.registrations[0]?.statusCode], ['funcţiune', '1048']);
  const other = mapRow(later, { ...next, STARE_FIRMA: 'altceva' }, { codes });
  assert.deepEqual([other.record.status, other.reports], ['unknown', [['status', 'STARE_FIRMA', 'altceva']]]);
  assert.deepEqual(mapRow(later, { ...next, STARE_FIRMA: '' }, { codes }).reports, []);
});

test('a file of 2018 that continues another one is refused by name', async () => {
  const lines = 'BRAD SRL^14399840^J40/1/1992^ROONRC.J40/1/1992^1048^Turda 5\nFAG SRL^^J12/2/1993^^1084^Cluj\n';
  await assert.rejects(
    importTexts(ro, { 'firme_2.csv': lines }),
    /firme_2\.csv: this file continues the first file of the snapshot of 2018 and has no header\. Append it/,
  );
});

test('the role of a representative follows from its text; birth dates only show that it is a person', () => {
  const roleOf = (CALITATE: string) => {
    const row = { ...tables.OD_REPREZENTANTI_LEGALI?.[0], CALITATE, DATA_NASTERE: '01/02/1970' };
    const { record } = mapRow(firms, tables.OD_FIRME?.[0] ?? {}, { codes, rows: { OD_REPREZENTANTI_LEGALI: [row] } });
    assert.equal(JSON.stringify(record.registry).includes('1970'), false);
    const [party] = (record.registry as RegistryOf).parties ?? [];
    assert.equal(party?.kind, 'person');
    return party?.role;
  };
  assert.deepEqual(
    ['administrator', 'PREŞEDINTE', 'lichidator', 'administrator judiciar', 'împuternicit', ''].map(roleOf),
    ['director', 'director', 'liquidator', 'insolvency_administrator', 'representative', 'representative'],
  );
});

test('Bucharest is one city, and its sector is the district', () => {
  const read = (ADR_LOCALITATE: string, ADR_SECTOR = '') => {
    const row = { DENUMIRE: 'X', ADR_LOCALITATE, ADR_SECTOR, ADR_JUDET: 'Bucuresti', ADR_TARA: 'Romania' };
    const { address } = mapRow(firms, row, { codes }).record.registry as RegistryOf;
    return [address?.city, address?.district, address?.text];
  };
  assert.deepEqual(read('Bucuresti'), ['Bucuresti', undefined, 'Bucuresti']);
  assert.deepEqual(read('Bucuresti', '3'), ['Bucuresti', 'Sectorul 3', 'Bucuresti, Sectorul 3']);
  assert.deepEqual(read('Bucuresti Sectorul 3'), ['Bucuresti', 'Sectorul 3', 'Bucuresti Sectorul 3']);
  assert.deepEqual(read('BUCUREŞTI SECTOR 3', '3'), ['BUCUREŞTI', 'Sectorul 3', 'BUCUREŞTI SECTOR 3']);
  assert.deepEqual(read('Bucureştii Noi'), ['Bucureştii Noi', undefined, 'Bucureştii Noi']);
  const old = { DENUMIRE: 'X', STARE_FIRMA: 'radiată', LOCALITATE: 'Bucuresti Sectorul 3', JUDET: 'Bucuresti' };
  const { address } = mapRow(sourceOf('firme 2015'), old, { codes }).record.registry as RegistryOf;
  assert.deepEqual([address?.city, address?.district], ['Bucuresti', 'Sectorul 3']);
});

test('the generated files have the real headers and refer to the same companies', () => {
  const file = generateFile(ro, 2_000, 5);
  const rows = listSyntheticRows(file, 'OD_FIRME.CSV');
  assert.equal(Object.keys(rows[0] ?? {}).join('^'), FILES.OD_FIRME?.slice(1).split('\r\n')[0]);
  const numbers = new Set(rows.map((row) => row.COD_INMATRICULARE));
  assert.equal(numbers.size, rows.length);
  for (const entry of ['OD_STARE_FIRMA.CSV', 'OD_CAEN_AUTORIZAT.CSV']) {
    const belonging = listSyntheticRows(file, entry);
    assert.ok(belonging.length > rows.length && belonging.every((row) => numbers.has(row.COD_INMATRICULARE)));
  }
  assert.ok(rows.some((row) => row.DENUMIRE?.startsWith('"')));
});
