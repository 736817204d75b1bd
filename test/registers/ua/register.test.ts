import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IN_RECORDS } from '../../../src/core/party-modes.ts';
import { createWithholding } from '../../../src/records/withholding.ts';
import type { Json, MappedRecord, TreeSource } from '../../../src/registers/contract.ts';
import { ua } from '../../../src/registers/ua/register.ts';
import { importTexts } from '../../harness/register-files.ts';

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
          numberValid: true,
        },
        {
          authority: 'Міністерство юстиції України',
          type: 'other',
          status: null,
          registeredAt: '2004-04-29',
          endedAt: null,
          number: '10251200000000716',
        },
      ],
      registry: {
        legalForm: { label: 'КРЕДИТНА СПІЛКА' },
        status: { label: 'зареєстровано' },
        recordId: '9689',
        otherNames: [{ name: 'КС"БЗ"', type: 'short' }],
        reregisteredAt: '2006-10-24',
        capital: { amount: 1000.5, currency: 'UAH' },
        parties: [
          { role: 'director', roleLabel: 'керівник', name: 'БОЙКО ТАРАС' },
          {
            role: 'founder',
            kind: 'person',
            name: 'КОВАЛЬ ІРИНА ПЕТРІВНА',
            contribution: { amount: 500, currency: 'UAH' },
          },
          { role: 'founder', name: 'БОЙКО ТАРАС' },
          { role: 'beneficial_owner', kind: 'person', name: 'КОВАЛЬ ІРИНА ПЕТРІВНА' },
        ],
        management: 'ЗАГАЛЬНІ ЗБОРИ',
        establishments: [{ number: '26535981', name: 'ФІЛІЯ' }],
        taxRecords: [{ register: 'Реєстр платників податків', from: '2004-04-30', number: '716' }],
      },
    });
    assert.match(JSON.stringify(sourceData.FOUNDERS), /КОВАЛЬ ІРИНА ПЕТРІВНА/);
    assert.ok(id);
  }
});

test('persons are left out of a parsed record as out of its text, and the record stays as it is', () => {
  const value = {
    NAME: 'А',
    BOSS: 'Б',
    SIGNERS: { SIGNER: ['В', 'Г'] },
    BRANCHES: { BRANCH: [{ SIGNER: 'Д' }, { SIGNER: '' }] },
  };
  const text = JSON.stringify(value);
  const { source } = createWithholding(ua, { [IN_RECORDS]: 'organisations' });
  const stored = source('', null, { text, value });
  assert.equal(stored, source('', null, { text }));
  assert.equal(JSON.stringify(value), text);
  const hidden = 'withheld: natural persons';
  const BRANCHES = { BRANCH: [{ SIGNER: hidden }, { SIGNER: '' }] };
  assert.deepEqual(JSON.parse(stored), { NAME: 'А', BOSS: hidden, SIGNERS: hidden, BRANCHES });
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
  assert.deepEqual(activities.slice(0, 2), ['u01.11', 'uВирощування зернових культур']);
  assert.deepEqual(registry.activities, [
    { code: '01.11', label: 'Вирощування зернових культур', scheme: 'KVED', type: 'unlicensed' },
  ]);
  assert.deepEqual(
    [status, registry.address, registry.parties],
    [
      'dissolved',
      { text: '01001, м.Київ', postCode: '01001', city: 'Київ', countryCode: 'UA' },
      [{ role: 'director', name: 'КОВАЛЬ І. П.' }],
    ],
  );
  assert.equal(registrations[0].number, '00130754');
});

/** The complete layout of 2019 to February 2022, with invented companies and persons. */
const FULL_SUBJECT = `<SUBJECT RECORD="1552"><NAME>ТОВАРИСТВО "НИВА"</NAME><SHORT_NAME/><OPF>ТОВ</OPF>
<EDRPOU>26535980</EDRPOU><ADDRESS>20300, Черкаська обл., місто Умань, ВУЛИЦЯ САДОВА, будинок 5, квартира 3</ADDRESS>
<STAN>в стані припинення</STAN><FOUNDING_DOCUMENT_NUM/><EXECUTIVE_POWER><NAME>МІНІСТЕРСТВО</NAME><CODE>1</CODE></EXECUTIVE_POWER>
<FOUNDERS><FOUNDER>ТОВ "АЛЬФА, БЕТА", 32855961, 01001, м.Київ, розмір внеску до статутного фонду - 495.60 грн.</FOUNDER></FOUNDERS>
<BENEFICIARIES><BENEFICIARY>Кінцевий бенефіціарний власник (контролер) - БОЙКО ТАРАС, Україна</BENEFICIARY></BENEFICIARIES>
<ACTIVITY_KINDS><ACTIVITY_KIND><CODE>01.11</CODE><NAME>Вирощування зернових</NAME><PRIMARY>ні</PRIMARY></ACTIVITY_KIND>
<ACTIVITY_KIND><CODE>62.01</CODE><NAME>Програмування</NAME><PRIMARY>так</PRIMARY></ACTIVITY_KIND>
<ACTIVITY_KIND><CODE>01.11</CODE><NAME>Вирощування зернових</NAME><PRIMARY>ні</PRIMARY></ACTIVITY_KIND></ACTIVITY_KINDS>
<SIGNERS><SIGNER>КОВАЛЬ ІРИНА - підписант</SIGNER></SIGNERS><AUTHORIZED_CAPITAL>495,60</AUTHORIZED_CAPITAL>
<REGISTRATION>29.04.2004 24.10.2006 1 025 120 0000 000716</REGISTRATION>
<BRANCHES><BRANCH><CODE>26535981</CODE><NAME>ФІЛІЯ</NAME><SIGNER>ЛИСЕНКО О. І.</SIGNER><ADDRESS>м. Львів</ADDRESS>
<CREATE_DATE>01.02.2010</CREATE_DATE><CONTACTS>+380322000000</CONTACTS></BRANCH></BRANCHES>
<TERMINATION_STARTED_INFO><OP_DATE>05.06.2019</OP_DATE><REASON>рішення засновників</REASON><SBJ_STATE>припинення</SBJ_STATE>
<SIGNER_NAME>МЕЛЬНИК А. Б.</SIGNER_NAME><CREDITOR_REQ_END_DATE>05.08.2019</CREDITOR_REQ_END_DATE></TERMINATION_STARTED_INFO>
<BANKRUPTCY_READJUSTMENT_INFO/><PREDECESSORS><PREDECESSOR><NAME>КОЛГОСП</NAME><CODE>00130754</CODE></PREDECESSOR></PREDECESSORS>
<ASSIGNEES/><TERMINATED_INFO/><CONTACTS>+380474400000; niva@example.ua, www.niva.example; вдень</CONTACTS>
<EXCHANGE_DATA><EXCHANGE_ANSWER><AUTHORITY_NAME>ДПС</AUTHORITY_NAME><TAX_PAYER_TYPE>платник</TAX_PAYER_TYPE></EXCHANGE_ANSWER></EXCHANGE_DATA>
<CURRENT_AUTHORITY>Виконавчий комітет</CURRENT_AUTHORITY></SUBJECT>`;

test('a record of the complete layout of 2019 to 2022 has activities, date, address and contacts', async () => {
  const { result, entities } = await importTexts(ua, { '17.1-EX_XML_EDR_UO_FULL.xml': wrap(FULL_SUBJECT, 'utf-8') });
  assert.deepEqual([result.counts.added, result.unreadable, result.unknownColumns], [1, 0, []]);
  const [{ registry, registeredAt, status, registrations } = {} as never] = entities;
  assert.deepEqual(registry.activities, [
    { code: '01.11', label: 'Вирощування зернових', scheme: 'KVED', type: 'unlicensed', main: false },
    { code: '62.01', label: 'Програмування', scheme: 'KVED', type: 'unlicensed', main: true },
  ]);
  assert.deepEqual([registeredAt, registry.reregisteredAt], ['2004-04-29', '2006-10-24']);
  assert.deepEqual(
    registrations.map(({ number }: { number: string }) => number),
    ['26535980', '1 025 120 0000 000716'],
  );
  assert.deepEqual(registry.address, {
    text: '20300, Черкаська обл., місто Умань, ВУЛИЦЯ САДОВА, будинок 5, квартира 3',
    postCode: '20300',
    region: 'Черкаська обл.',
    city: 'Умань',
    street: 'ВУЛИЦЯ САДОВА',
    number: '5',
    unit: 'квартира 3',
    countryCode: 'UA',
  });
  assert.deepEqual(registry.contacts, {
    emails: ['niva@example.ua'],
    phones: ['+380474400000'],
    websites: ['www.niva.example'],
    other: ['вдень'],
  });
  assert.deepEqual(registry.parties, [
    { role: 'representative', roleLabel: 'підписант', name: 'КОВАЛЬ ІРИНА' },
    {
      role: 'founder',
      kind: 'organisation',
      name: 'ТОВ "АЛЬФА, БЕТА"',
      number: '32855961',
      contribution: { amount: 495.6, currency: 'UAH' },
      details: '01001, м.Київ',
    },
    {
      role: 'beneficial_owner',
      roleLabel: 'Кінцевий бенефіціарний власник (контролер)',
      name: 'БОЙКО ТАРАС',
      details: 'Україна',
    },
    { role: 'liquidator', name: 'МЕЛЬНИК А. Б.' },
  ]);
  assert.deepEqual(
    [status, registry.status],
    ['in_liquidation', { label: 'в стані припинення', since: '2019-06-05', reason: 'рішення засновників' }],
  );
  assert.deepEqual(registry.establishments, [
    {
      number: '26535981',
      name: 'ФІЛІЯ',
      address: { text: 'м. Львів', city: 'Львів', countryCode: 'UA' },
      from: '2010-02-01',
      head: 'ЛИСЕНКО О. І.',
      contacts: { phones: ['+380322000000'] },
    },
  ]);
  assert.deepEqual(
    [registry.recordId, registry.predecessors, registry.managingBody, registry.currentAuthority],
    ['1552', [{ name: 'КОЛГОСП', number: '00130754' }], 'МІНІСТЕРСТВО', 'Виконавчий комітет'],
  );
});

test('the file of sole entrepreneurs is refused by name', async () => {
  const files = {
    'FOP.xml': wrap('<SUBJECT><NAME>КОВАЛЬ ІРИНА</NAME><STAN>зареєстровано</STAN></SUBJECT>', 'utf-8'),
    'EDR_FOP.xml': '<?xml version="1.0"?><DATA><RECORD><FIO>КОВАЛЬ ІРИНА</FIO></RECORD></DATA>',
  };
  for (const [name, text] of Object.entries(files))
    await assert.rejects(importTexts(ua, { [name]: text }), /sole entrepreneurs \(FOP\).*Import UO\.zip/);
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
  assert.deepEqual([statusOf('інше'), map({ STAN: 'інше' }).reports], ['unknown', [['status', 'STAN', 'інше']]]);
});

test('termination and bankruptcy are read with their dates; invalid dates and amounts are reported', () => {
  const { record } = map({
    STAN: 'припинено',
    TERMINATED_INFO: '01.02.2020; 1002; ліквідація',
    BANKRUPTCY_READJUSTMENT_INFO: { OP_DATE: '05.06.2019', REASON: 'ухвала', SBJ_STATE: 'x', SIGNER_NAME: 'А. Б.' },
  });
  assert.deepEqual(record.registrations[0]?.endedAt, '2020-02-01');
  assert.equal(record.registry.endedAt, '2020-02-01');
  assert.deepEqual(record.registry.termination, { number: '1002', reason: 'ліквідація' });
  assert.deepEqual(record.registry.status, { label: 'припинено', since: '2020-02-01', reason: 'ліквідація' });
  assert.deepEqual(record.registry.bankruptcy, { at: '2019-06-05', reason: 'ухвала', state: 'x' });
  assert.deepEqual(record.registry.parties, [{ role: 'insolvency_administrator', name: 'А. Б.' }]);
  assert.deepEqual(map({ REGISTRATION: '31.02.2004; 1' }).reports, [['REGISTRATION', '31.02.2004', 'not a date']]);
  assert.deepEqual(map({ AUTHORIZED_CAPITAL: 'багато' }).reports.length, 1);
});

test('founders that are objects and parallel lists of tax registers are kept; number and name may be missing', () => {
  const founder = { NAME: 'КОВАЛЬ', CAPITAL: '100' };
  assert.deepEqual(map({ FOUNDERS: { FOUNDER: [founder] } }).record.registry.parties, [
    { role: 'founder', name: 'КОВАЛЬ', details: { CAPITAL: '100' } },
  ]);
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
  assert.equal(map({ EDRPOU: '1' }).record.registrations[0]?.numberValid, false);
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
    [registry.foundingDocumentNumber, registry.statute, registry.managingPaper, registry.parties],
    [
      '1',
      'Статут',
      'Модельний статут',
      [
        { role: 'member', name: 'КОВАЛЬ' },
        { role: 'member', name: 'БОЙКО' },
      ],
    ],
  );
  assert.equal(registry.vpDates, '05.06.2019');
});
