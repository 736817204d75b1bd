import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCheckDigit, isValidNumber } from '../../../src/registers/no/number.ts';
import { ENTITY, mapRow, mapTree, type Reports, ROW } from './fixture.ts';

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
  assert.equal(mapRow({ ...ROW, organisasjonsnummer: '974760674' }).registrations[0]?.numberValid, false);
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
  assert.equal(deleted.registry.endedAt, '2026-02-01');
});

test('NO: registry.status and the registration name the flag that decides, with its date and reason', () => {
  const statusOf = (fields: Record<string, string>) => mapRow({ ...ROW, ...fields }).registry.status;
  assert.equal(statusOf({}), undefined);
  assert.deepEqual(statusOf({ konkurs: 'true', konkursdato: '2026-01-02', underAvvikling: 'true' }), {
    code: 'konkurs',
    label: 'Konkurs',
    since: '2026-01-02',
  });
  assert.deepEqual(statusOf({ underAvvikling: 'true', underAvviklingDato: '2026-01-03' }), {
    code: 'underAvvikling',
    label: 'Under avvikling',
    since: '2026-01-03',
  });
  const compulsory = {
    underTvangsavviklingEllerTvangsopplosning: 'true',
    tvangsopplostPgaManglendeRevisorDato: '2026-03-04',
    tvangsopplostPgaManglendeRegnskapDato: '2026-02-03',
  };
  assert.deepEqual(statusOf(compulsory), {
    code: 'underTvangsavviklingEllerTvangsopplosning',
    label: 'Under tvangsavvikling eller tvangsoppløsning',
    since: '2026-02-03',
    reason: 'Manglende regnskap',
    reasonCode: 'tvangsopplostPgaManglendeRegnskap',
  });
  const { status, statusCode } = mapRow({ ...ROW, konkurs: 'true' }).registrations[0] ?? {};
  assert.deepEqual([status, statusCode], ['Konkurs', 'konkurs']);
  assert.equal(mapRow(ROW).registrations[0]?.status, null);
});

test('NO: a code without its text is reported as unknown', () => {
  const reports: Reports = [];
  const record = mapRow(
    {
      ...ROW,
      'organisasjonsform.kode': 'XYZ',
      'organisasjonsform.beskrivelse': '',
      'naeringskode2.kode': '99.999',
      'naeringskode2.beskrivelse': '',
    },
    reports,
  );
  assert.deepEqual(record.legalForm, { code: 'XYZ' });
  assert.deepEqual(reports, [
    ['legalForm', 'organisasjonsform.kode', 'XYZ'],
    ['activity', 'naeringskode2.kode', '99.999'],
  ]);
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
