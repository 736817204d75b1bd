import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold } from '../../core/fold.ts';
import type { CodeRow, MappedRecord, Rejection, TableSource } from '../contract.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { listDirectors, listOwners } from './parties.ts';
import { checkNumber, md, readNumber } from './register.ts';

const CAEM_1 = { scheme: 'CAEM', edition: '1' };
const CAEM_2 = { scheme: 'CAEM', edition: '2' };

const VERSION = 'Versiunea CAEM (1 - CAEM; 2 - CAEM rev.2)';
const UNLICENSED: CodeRow[] = [
  { ID: '1110', Denumire: 'Cultura cerealelor', 'Cod CAEM': '0111', [VERSION]: '1' },
  { ID: '111', Denumire: 'Cultivarea cerealelor', 'Cod CAEM': '0111', [VERSION]: '2' },
  { ID: '55300', Denumire: 'Restaurante', 'Cod CAEM': '553', [VERSION]: '1' },
  { ID: '55301', Denumire: 'Restaurante', 'Cod CAEM': '553', [VERSION]: '2' },
];
const LICENSED: CodeRow[] = [
  { ID: '17', Denumire: 'Activitatea de turism' },
  { ID: '72', Denumire: 'Activitatea farmaceutică' },
];
const COUNTRIES: CodeRow[] = [
  { COD: 'MD', Denumire: 'Moldova' },
  { COD: 'RO', Denumire: 'România' },
];
const ALL = new Map([
  ['unlicensed', UNLICENSED],
  ['licensed', LICENSED],
  ['countries', COUNTRIES],
]);

const LAYOUT_2017 = {
  'IDNO/ Cod fiscal': '1099600123450',
  'Data înregistrării': '38709',
  'Denumirea completă': ' "PLAI  NOU" S.R.L. ',
  'Forma org./jurid.': 'Societate cu răspundere limitată',
  Adresa: 'mun. Chişinău, sec. Centru, str. Columna, 5',
  'Lista conducătorilor': 'POPA ION, RUSU ANA',
  'Lista fondatorilor': ' Consiliul Sătesc Lunca ',
  'Genuri de activitate nelicentiate': '1110, 55300',
  'Genuri de activitate licentiate': '17, 72',
  Statutul: ' ',
};
const LAYOUT_2026 = {
  'IDNO/ Cod fiscal': '1099600123450',
  'Data înregistrării': '34116',
  'Denumirea completă': 'S.R.L. ”PLAI”',
  'Forma org./jurid.': 'Societate cu răspundere limitată',
  Adresa: 'MD-2001, CHIȘINĂU, str. Columna, 5',
  'Codul unităţii administrativ-teritoriale (CUATM)': '120',
  'Lista conducătorilor (cu indicarea rolurilor)': 'POPA ION [Administrator]',
  'Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)': 'POPA ION (100,00%)',
  'Genuri de activitate nelicentiate': '111',
  'Genuri de activitate licentiate': '',
  'Data lichidării': '',
};
const ROLES = 'Lista conducătorilor (cu indicarea rolurilor)';
const OWNERS = 'Lista beneficiarilor efectivi (Nume, Prenume, Ţara de reşedinţă)';

const companies = md.sources[0] as TableSource<unknown>;

function mapRow(row: Record<string, string>, tables: ReadonlyMap<string, readonly CodeRow[]> = ALL) {
  const reports: string[][] = [];
  const context = {
    codes: md.readCodes(tables),
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const mapped = companies.map?.((column) => row[column] ?? '', context) as MappedRecord & Rejection;
  return { ...mapped, reports };
}

function map2026(changes: Record<string, string>, tables?: ReadonlyMap<string, readonly CodeRow[]>) {
  return mapRow({ ...LAYOUT_2026, ...changes }, tables);
}

/** The rule of the import: the first source whose required columns are all in the header. */
function findSource(header: readonly string[]): string | undefined {
  const folded = new Set(header.map(fold));
  return md.sources.find((source) => source.required.every((column) => folded.has(fold(column))))?.name;
}

describe('MD layouts', () => {
  it('maps the layout of 2017', () => {
    const { reports, ...record } = mapRow(LAYOUT_2017);
    assert.deepEqual(reports, []);
    assert.deepEqual(record, {
      number: '1099600123450',
      canonicalName: '"PLAI  NOU" S.R.L.',
      status: 'active',
      legalForm: { label: 'Societate cu răspundere limitată' },
      registeredAt: '2005-12-23',
      registrations: [
        {
          authority: 'ASP',
          type: 'national',
          number: '1099600123450',
          numberValid: true,
          status: null,
          registeredAt: '2005-12-23',
          endedAt: null,
        },
      ],
      activities: [
        { type: 'unlicensed', code: '0111', label: 'Cultura cerealelor', ...CAEM_1, written: '1110' },
        { type: 'unlicensed', code: '553', label: 'Restaurante', ...CAEM_1, written: '55300' },
        { type: 'licensed', code: '17', label: 'Activitatea de turism', scheme: 'RSUD' },
        { type: 'licensed', code: '72', label: 'Activitatea farmaceutică', scheme: 'RSUD' },
      ],
      registry: {
        address: { text: 'mun. Chişinău, sec. Centru, str. Columna, 5', city: 'Chişinău', countryCode: 'MD' },
        parties: [
          { role: 'director', name: 'POPA ION' },
          { role: 'director', name: 'RUSU ANA' },
          { role: 'founder', name: 'Consiliul Sătesc Lunca' },
        ],
      },
    });
  });

  it('maps the beneficial owners of 2023 with the names of their countries', () => {
    const { registry, reports } = map2026({ [OWNERS]: 'POPA ION (MD), IONESCU DAN (RO), SMITH JOHN (XX)' });
    const owner = { role: 'beneficial_owner', kind: 'person' };
    assert.deepEqual((registry as RegistryOf).parties?.slice(2), [
      { ...owner, name: 'POPA ION', country: 'Moldova', countryCode: 'MD' },
      { ...owner, name: 'IONESCU DAN', country: 'România', countryCode: 'RO' },
      { ...owner, name: 'SMITH JOHN', countryCode: 'XX' },
    ]);
    const [unnamed] = listOwners('POPA ION (MDA)', () => undefined);
    assert.deepEqual(unnamed, { ...owner, name: 'POPA ION', country: 'MDA' });
    assert.deepEqual(reports, [[OWNERS, 'XX', 'country code is not in any code sheet']]);
  });

  it('maps the layout of 2026', () => {
    const { reports, ...record } = mapRow(LAYOUT_2026);
    assert.deepEqual(reports, []);
    assert.equal(record.registeredAt, '1993-05-27');
    assert.deepEqual(record.activities, [
      { type: 'unlicensed', code: '0111', label: 'Cultivarea cerealelor', ...CAEM_2, written: '111' },
    ]);
    assert.deepEqual(record.registry, {
      address: {
        text: 'MD-2001, CHIȘINĂU, str. Columna, 5',
        postCode: 'MD-2001',
        city: 'CHIȘINĂU',
        countryCode: 'MD',
      },
      cuatm: '120',
      parties: [
        { role: 'director', roleLabel: 'Administrator', name: 'POPA ION' },
        { role: 'founder', name: 'POPA ION', share: 100 },
      ],
    });
  });

  it('recognizes sheets by their headers', () => {
    assert.equal(findSource(Object.keys(LAYOUT_2017)), 'companies');
    assert.equal(findSource(Object.keys(LAYOUT_2026)), 'companies');
    const version = 'Versiunea CAEM\n(1 - CAEM; 2 - CAEM rev.2)';
    assert.equal(findSource(['ID', 'Denumire', 'Cod CAEM', version]), 'unlicensed');
    assert.equal(findSource(['ID', 'Denumire']), 'licensed');
    assert.equal(findSource(['COD', 'Denumirea']), 'countries');
    assert.equal(findSource(['IDNO', 'Data înreg.', 'Forma juridică', 'Denumirea', 'CUATM']), 'organizations');
    assert.match(md.sources.at(-1)?.refusal ?? '', /non-commercial organisations.*Import company_/);
  });

  it('lists every column of every layout; columns are compared without diacritics, and no two are equal then', () => {
    const known = companies.columns.map(fold);
    for (const column of [...Object.keys(LAYOUT_2017), ...Object.keys(LAYOUT_2026), OWNERS]) {
      assert.ok(known.includes(fold(column.replaceAll('ţ', 'ț').toUpperCase())), column);
    }
    assert.equal(new Set(known).size, known.length);
    assert.ok(md.sources[1]?.kind === 'table' && md.sources[1].columns.map(fold).includes(fold(VERSION)));
  });
});

describe('MD numbers', () => {
  it('verifies the check digit of an IDNO, and does not judge short legacy codes', () => {
    for (const [digits, check] of [
      ['109960012346', 1],
      ['989813879241', 1],
      ['797951445759', 0],
    ] as const) {
      for (let digit = 0; digit < 10; digit++) assert.equal(checkNumber(`${digits}${digit}`), digit === check, digits);
    }
    assert.equal(checkNumber('1099600123460'), false);
    assert.equal(checkNumber('10996001234610'), false);
    assert.equal(checkNumber('109960012346X'), false);
    for (const legacy of ['412907', '989813879241']) assert.equal(checkNumber(legacy), null, legacy);
    assert.equal(checkNumber('41290X'), false);
    assert.equal(map2026({ 'IDNO/ Cod fiscal': '1099600123451' }).registrations[0]?.numberValid, false);
    const legacy = map2026({ 'IDNO/ Cod fiscal': '0412907' });
    assert.equal(legacy.number, '0412907');
    assert.equal(legacy.registrations[0]?.numberValid, undefined);
  });

  it('reads numbers from text cells and number cells', () => {
    assert.equal(readNumber('1.09960012345E12'), '1099600123450');
    assert.equal(readNumber('1099600123450.0'), '1099600123450');
    assert.equal(readNumber(' 1099600123450 '), '1099600123450');
    assert.equal(readNumber('-'), null);
    assert.equal(readNumber(' '), null);
  });

  it('keeps a row without a number, and rejects one without a name, such as a row of totals', () => {
    const { number, registrations } = map2026({ 'IDNO/ Cod fiscal': ' ' });
    assert.deepEqual([number, registrations], [null, []]);
    assert.equal(mapRow({ 'Lista fondatorilor': '300000' }).rejected, 'no name');
    assert.equal(map2026({ 'Denumirea completă': ' ' }).rejected, 'no name');
  });
});

describe('MD dates', () => {
  it('reports an impossible date and leaves it out', () => {
    const { registeredAt, reports } = map2026({ 'Data înregistrării': '20.08.1111' });
    assert.equal(registeredAt, null);
    assert.deepEqual(reports, [['Data înregistrării', '20.08.1111', 'a date before 1900']]);
    assert.deepEqual(map2026({ 'Data înregistrării': 'ieri' }).reports, [['Data înregistrării', 'ieri', 'not a date']]);
  });

  it('reads a date that is stored as text', () => {
    assert.equal(map2026({ 'Data înregistrării': '20.08.2011' }).registeredAt, '2011-08-20');
  });
});

describe('MD status', () => {
  it('is dissolved if there is a liquidation date, even an invalid one', () => {
    const record = map2026({ 'Data lichidării': '44927', [ROLES]: 'RUSU ANA [Lichidator]' });
    assert.equal(record.status, 'dissolved');
    assert.equal(record.registrations[0]?.endedAt, '2023-01-01');
    assert.equal(record.registry.endedAt, '2023-01-01');
    const unreadable = map2026({ 'Data lichidării': '?' });
    assert.deepEqual([unreadable.status, unreadable.registrations[0]?.endedAt], ['dissolved', null]);
    assert.equal(unreadable.reports.length, 1);
  });

  it('follows Statutul in the layout of 2017 and reports an unknown text', () => {
    const dissolved = mapRow({ ...LAYOUT_2017, Statutul: 'lichidată' });
    assert.deepEqual([dissolved.status, dissolved.registrations[0]?.status], ['dissolved', 'lichidată']);
    const unknown = mapRow({ ...LAYOUT_2017, Statutul: 'suspendată' });
    assert.deepEqual([unknown.status, unknown.reports], ['unknown', [['status', 'Statutul', 'suspendată']]]);
  });

  it('is inferred from the roles of the directors; statusInferredFrom names the role', () => {
    const byRole: Record<string, string> = {
      Administrator: 'active',
      'Direcţie de conducere': 'active',
      Comitet: 'active',
      Comisia: 'active',
      'Datele lipsesc': 'active',
      'Administrator fiduciar': 'active',
      'Administrator din oficiu': 'active',
      Lichidator: 'in_liquidation',
      'Administrator al procesului de insolvabilitate': 'insolvent',
      'Administrator al procedurii planului': 'insolvent',
      'Administrator provizoriu': 'insolvent',
    };
    for (const [role, status] of Object.entries(byRole)) {
      const record = map2026({ [ROLES]: `POPA ION [Administrator], RUSU ANA [${role}]` });
      assert.equal(record.status, status, role);
      assert.equal(record.registry.statusInferredFrom, status === 'active' ? undefined : role);
    }
    const roles = Object.keys(byRole).map((role) => listDirectors([{ name: 'RUSU ANA', role }])[0]?.role);
    assert.deepEqual(roles, [...Array(7).fill('director'), 'liquidator', ...Array(3).fill('insolvency_administrator')]);
    const both = 'POPA ION [Administrator al procesului de insolvabilitate], RUSU ANA [Lichidator]';
    assert.equal(map2026({ [ROLES]: both }).status, 'in_liquidation');
  });
});

describe('MD activities', () => {
  it('removes duplicates; the same code and label in another edition is another activity', () => {
    const { activities } = map2026({ 'Genuri de activitate nelicentiate': '55300, 55301, 55300, ' });
    const restaurant = { type: 'unlicensed', code: '553', label: 'Restaurante' };
    assert.deepEqual(activities, [
      { ...restaurant, ...CAEM_1, written: '55300' },
      { ...restaurant, ...CAEM_2, written: '55301' },
    ]);
  });

  it('keeps and reports an id that is not in any code sheet', () => {
    const { activities, reports } = map2026({
      'Genuri de activitate nelicentiate': '99999',
      'Genuri de activitate licentiate': '17, 500',
    });
    assert.deepEqual(activities, [
      { type: 'unlicensed', code: '99999', label: null, scheme: 'RSUD' },
      { type: 'licensed', code: '17', label: 'Activitatea de turism', scheme: 'RSUD' },
      { type: 'licensed', code: '500', label: null, scheme: 'RSUD' },
    ]);
    assert.deepEqual(reports, [
      ['activity', 'Genuri de activitate nelicentiate', '99999'],
      ['activity', 'Genuri de activitate licentiate', '500'],
    ]);
  });

  it('accepts a workbook without the licensed sheet: the id is the code, without a label', () => {
    const { activities, reports } = map2026(
      { 'Genuri de activitate licentiate': '17' },
      new Map([['unlicensed', UNLICENSED]]),
    );
    assert.deepEqual(activities[1], { type: 'licensed', code: '17', label: null, scheme: 'RSUD' });
    assert.deepEqual(reports, []);
  });
});

it('MD leaves out empty fields, including cells with one space', () => {
  const blank = Object.fromEntries(Object.keys(LAYOUT_2026).map((column) => [column, ' ']));
  const { legalForm, registeredAt, activities, registry, reports } = mapRow({ ...blank, 'Denumirea completă': 'PLAI' });
  assert.deepEqual(
    { legalForm, registeredAt, activities, registry, reports },
    {
      legalForm: null,
      registeredAt: null,
      activities: [],
      registry: {},
      reports: [],
    },
  );
});
