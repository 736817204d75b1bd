import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fold } from '../../../src/core/fold.ts';
import { hasValidCheckDigit } from '../../../src/registers/md/number.ts';
import { listOwners } from '../../../src/registers/md/parties.ts';
import { md, readNumber } from '../../../src/registers/md/register.ts';
import type { RegistryOf } from '../../../src/registers/vocabulary.ts';
import { CAEM_1, CAEM_2, companies, LAYOUT_2017, LAYOUT_2026, map2026, mapRow, OWNERS, VERSION } from './fixture.ts';

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
        address: {
          text: 'mun. Chişinău, sec. Centru, str. Columna, 5',
          city: 'Chişinău',
          district: 'Centru',
          countryCode: 'MD',
        },
        parties: [
          { role: 'director', name: 'POPA ION' },
          { role: 'director', name: 'RUSU ANA' },
          { role: 'founder', kind: 'organisation', name: 'Consiliul Sătesc Lunca' },
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
      for (let digit = 0; digit < 10; digit++)
        assert.equal(hasValidCheckDigit(`${digits}${digit}`), digit === check, digits);
    }
    assert.equal(hasValidCheckDigit('1099600123460'), false);
    assert.equal(hasValidCheckDigit('10996001234610'), false);
    assert.equal(hasValidCheckDigit('109960012346X'), false);
    for (const legacy of ['412907', '989813879241']) assert.equal(hasValidCheckDigit(legacy), null, legacy);
    assert.equal(hasValidCheckDigit('41290X'), false);
    assert.equal(map2026({ 'IDNO/ Cod fiscal': '1099600123451' }).registrations[0]?.numberValid, false);
    const legacy = map2026({ 'IDNO/ Cod fiscal': '0412907' });
    assert.equal(legacy.number, '0412907');
    assert.equal(legacy.registrations[0]?.numberValid, undefined);
  });

  it('reads numbers from text cells and number cells', () => {
    assert.equal(readNumber('1.09960012345E12'), '1099600123450');
    assert.equal(readNumber('1099600123450.0'), '1099600123450');
    assert.equal(readNumber(' 1099600123450 '), '1099600123450');
    assert.equal(readNumber('1E20'), '1E20');
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
