import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importTexts } from '../../../test/harness/register-files.ts';
import type { Json, MappedRecord, TreeSource } from '../contract.ts';
import { isValidNumber } from './number.ts';
import { ua } from './register.ts';

/**
 * A record in the Ministry's format, with the order of elements that one public importer expects. Persons are invented.
 */
const SUBJECT = `<SUBJECT><RECORD>9689</RECORD><NAME>КРЕДИТНА СПІЛКА "БУРШТИН &lt;ЗАХІД&gt;"</NAME>
<SHORT_NAME>КС"БЗ"</SHORT_NAME><OPF>КРЕДИТНА СПІЛКА</OPF><EDRPOU>26535980</EDRPOU><STAN>зареєстровано</STAN>
<FOUNDERS><FOUNDER>КОВАЛЬ ІРИНА ПЕТРІВНА, розмір частки - 500,00 грн.</FOUNDER><FOUNDER>БОЙКО ТАРАС</FOUNDER></FOUNDERS>
<BENEFICIARIES><BENEFICIARY>КОВАЛЬ ІРИНА ПЕТРІВНА</BENEFICIARY></BENEFICIARIES>
<SUPERIOR_MANAGEMENT>ЗАГАЛЬНІ ЗБОРИ</SUPERIOR_MANAGEMENT><SIGNERS><SIGNER>БОЙКО ТАРАС - керівник</SIGNER></SIGNERS>
<AUTHORIZED_CAPITAL>1000,50</AUTHORIZED_CAPITAL><REGISTRATION>29.04.2004; 24.10.2006; 10251200000000716</REGISTRATION>
<BRANCHES><BRANCH><CODE>26535981</CODE><NAME>ФІЛІЯ</NAME></BRANCH></BRANCHES><TERMINATED_INFO/>
<EXCHANGE_DATA><EXCHANGE_ANSWER><TAX_PAYER_TYPE>Реєстр платників податків</TAX_PAYER_TYPE>
<START_DATE>30.04.2004</START_DATE><START_NUM>716</START_NUM><END_DATE/></EXCHANGE_ANSWER></EXCHANGE_DATA></SUBJECT>`;

/** Inverts Node's decoder, because Node cannot encode windows-1251. */
function encode1251(text: string): Buffer {
  const decoder = new TextDecoder('windows-1251');
  const bytes = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  return Buffer.from(Array.from(text, (character) => bytes.get(character) ?? 0x3f));
}

const wrap = (body: string, encoding: string) =>
  `<?xml version="1.0" encoding="${encoding}"?>\n<SUBJECTS>\n${body}</SUBJECTS>\n`;

test('a record of the current layout is mapped completely, in either encoding', async () => {
  for (const file of [encode1251(wrap(SUBJECT, 'windows-1251')), wrap(SUBJECT, 'utf-8')]) {
    const { result, entities } = await importTexts(ua, { 'UO.xml': file });
    assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [1, 0, []]);
    const { id, sourceData, ...record } = entities[0] ?? ({} as never);
    assert.deepEqual(record, {
      countryCode: 'UA',
      canonicalName: 'КРЕДИТНА СПІЛКА "БУРШТИН <ЗАХІД>"',
      status: 'active',
      legalForm: 'КРЕДИТНА СПІЛКА',
      registeredAt: '2004-04-29',
      activities: [],
      registrations: [
        {
          authority: 'Міністерство юстиції України',
          type: 'national',
          status: 'зареєстровано',
          registeredAt: '2004-04-29',
          endedAt: null,
          number: '26535980',
        },
      ],
      registry: {
        numberValid: true,
        recordId: '9689',
        shortName: 'КС"БЗ"',
        registrationNumber: '10251200000000716',
        reregisteredAt: '2006-10-24',
        capital: { amount: 1000.5, currency: 'UAH' },
        founders: ['КОВАЛЬ ІРИНА ПЕТРІВНА, розмір частки - 500,00 грн.', 'БОЙКО ТАРАС'],
        beneficiaries: ['КОВАЛЬ ІРИНА ПЕТРІВНА'],
        signers: ['БОЙКО ТАРАС - керівник'],
        management: 'ЗАГАЛЬНІ ЗБОРИ',
        branches: [{ number: '26535981', name: 'ФІЛІЯ' }],
        taxRecords: [{ register: 'Реєстр платників податків', from: '2004-04-30', number: '716' }],
      },
    });
    assert.deepEqual(sourceData.FOUNDERS.FOUNDER[1], 'БОЙКО ТАРАС');
    assert.ok(id);
  }
});

test('SUBJECT elements inside DATA instead of SUBJECTS are read', async () => {
  const { result, entities } = await importTexts(ua, {
    'UO.xml': wrap(SUBJECT, 'utf-8').replaceAll('SUBJECTS>', 'DATA>'),
  });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [1, 0, []]);
  assert.deepEqual([entities[0]?.registry.recordId, entities[0]?.status], ['9689', 'active']);
});

test('a record from before 2022 has an address and an activity', async () => {
  const record = `<RECORD><NAME>ТОВ "НИВА"</NAME><SHORT_NAME/><EDRPOU>00130754</EDRPOU><ADDRESS>01001, м.Київ</ADDRESS>
    <KVED>01.11 Вирощування зернових культур</KVED><BOSS>КОВАЛЬ І. П.</BOSS><STAN>припинено</STAN></RECORD>`;
  const { entities } = await importTexts(ua, {
    'EDR_UO.xml': `<?xml version="1.0" encoding="utf-8"?><DATA>${record}</DATA>`,
  });
  const [{ registry, activities, status, registrations } = {} as never] = entities;
  assert.deepEqual(activities, ['u01.11', 'uВирощування зернових культур']);
  assert.deepEqual([status, registry.address.text, registry.head], ['dissolved', '01001, м.Київ', 'КОВАЛЬ І. П.']);
  assert.equal(registrations[0].number, '00130754');
});

const source = ua.sources[0] as TreeSource<unknown>;

function map(subject: { [key: string]: Json }) {
  const reports: string[][] = [];
  const context = {
    codes: null,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const base = { NAME: 'ТОВ "НИВА"', EDRPOU: '26535980', STAN: 'зареєстровано' };
  return { record: source.map({ ...base, ...subject }, context) as MappedRecord, reports };
}

test('statuses are compared as complete texts; an unknown one is reported', () => {
  const statusOf = (STAN: string) => map({ STAN }).record.status;
  assert.equal(statusOf('зареєстровано, свідоцтво про державну реєстрацію недійсне'), 'active');
  assert.equal(statusOf('в стані припинення'), 'in_liquidation');
  assert.equal(statusOf('порушено справу про банкрутство'), 'insolvent');
  assert.equal(statusOf('порушено справу про банкрутство (санація)'), 'insolvent');
  assert.equal(statusOf('Припинено'), 'dissolved');
  assert.equal(statusOf('скасовано'), 'dissolved');
  assert.deepEqual(
    [statusOf('інше'), map({ STAN: 'інше' }).reports],
    ['unknown', [['STAN', 'інше', 'unknown status']]],
  );
});

test('termination and bankruptcy are read with their dates; invalid dates and amounts are reported', () => {
  const { record } = map({
    STAN: 'припинено',
    TERMINATED_INFO: '01.02.2020; 1002; ліквідація',
    BANKRUPTCY_READJUSTMENT_INFO: { OP_DATE: '05.06.2019', REASON: 'ухвала', SBJ_STATE: 'x', SIGNER_NAME: 'А. Б.' },
  });
  assert.deepEqual(record.registrations[0]?.endedAt, '2020-02-01');
  assert.deepEqual(record.registry.termination, { at: '2020-02-01', number: '1002', reason: 'ліквідація' });
  assert.deepEqual(record.registry.bankruptcy, {
    at: '2019-06-05',
    reason: 'ухвала',
    state: 'x',
    administrator: 'А. Б.',
  });
  assert.deepEqual(map({ REGISTRATION: '31.02.2004; 1' }).reports, [['REGISTRATION', '31.02.2004', 'not a date']]);
  assert.deepEqual(map({ AUTHORIZED_CAPITAL: 'багато' }).reports.length, 1);
});

test('founders that are objects and parallel lists of tax registers are kept; number and name may be missing', () => {
  const founder = { NAME: 'КОВАЛЬ', CAPITAL: '100' };
  assert.deepEqual(map({ FOUNDERS: { FOUNDER: [founder] } }).record.registry.founders, [founder]);
  assert.deepEqual(map({ EXCHANGE_DATA: { TAX_PAYER_TYPE: ['А', 'Б'] } }).record.registry.taxRecords, [
    { register: 'А' },
    { register: 'Б' },
  ]);
  const answers = { TAX_PAYER_TYPE: ['А', 'Б'], START_DATE: '30.04.2004', END_DATE: ['', '03.03.2015'], START_NUM: '' };
  assert.deepEqual(
    map({ EXCHANGE_DATA: { EXCHANGE_ANSWER: [answers, { TAX_PAYER_TYPE: '' }] } }).record.registry.taxRecords,
    [{ register: 'А' }, { register: 'Б', until: '2015-03-03' }],
    'a date belongs to the register at the same position, and is left out if the lists differ in length',
  );
  assert.deepEqual([map({ EDRPOU: '' }).record.number, map({ EDRPOU: '' }).record.registrations], [null, []]);
  assert.equal(map({ EDRPOU: '1' }).record.registry.numberValid, false);
  assert.deepEqual(map({ NAME: ' ' }).record, { rejected: 'no name' });
});

test('rare keys are mapped', () => {
  const { registry } = map({
    FOUNDING_DOCUMENT_NUM: '1',
    STATUTE: 'Статут',
    MANAGING_PAPER: 'Модельний статут',
    MEMBERS: { MEMBER: ['КОВАЛЬ', 'БОЙКО'] },
    VP_DATES: '05.06.2019',
  }).record;
  assert.deepEqual(
    [registry.foundingDocumentNumber, registry.statute, registry.managingPaper, registry.members],
    ['1', 'Статут', 'Модельний статут', ['КОВАЛЬ', 'БОЙКО']],
  );
  assert.equal(registry.vpDates, '05.06.2019');
});

/** Exactly one of the ten numbers that begin with these digits is valid. */
function assertCheckDigit(digits: string, expected: number): void {
  const valid = Array.from({ length: 10 }, (_, digit) => `${digits}${digit}`).filter(isValidNumber);
  assert.deepEqual(valid, [`${digits}${expected}`]);
}

test('check digits of real numbers in both ranges; other lengths are invalid', () => {
  for (const number of ['26535980', '14360570', '32855961']) assert.equal(isValidNumber(number), true, number);
  for (const number of ['2653598', '026535980', '265359800', '2653598X', ''])
    assert.equal(isValidNumber(number), false, number);
});

test('numbers from 30000000 and below 60000000 have their own weights', () => {
  // With the other weights the check digits would be 5, 3, 6 and 9.
  assertCheckDigit('2999999', 3);
  assertCheckDigit('3000000', 5);
  assertCheckDigit('5999999', 4);
  assertCheckDigit('6000000', 6);
});

test('the second weights count only if the first give 10; if they give 10 too, the check digit is 0', () => {
  // 1437096: 1+8+9+28+0+54+42 = 142, 10 modulo 11; with weights 3 to 9: 202, so 4. 1437918: 153, then 219, 10 again.
  assertCheckDigit('1437096', 4);
  assertCheckDigit('1191747', 4);
  assertCheckDigit('1437918', 0);
  // In the middle range: 3295912 gives 109, then 171, so 6; 3286185 gives 131, then 197, 10 again.
  assertCheckDigit('3295912', 6);
  assertCheckDigit('4528795', 2);
  assertCheckDigit('3286185', 0);
  // The first weights give 9 and 0, so the second weights, which would give another digit, do not count.
  assertCheckDigit('2311777', 9);
  assertCheckDigit('9296659', 0);
});
