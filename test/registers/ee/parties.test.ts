/** Officers, persons beside the card and shareholders of Estonia. All persons are invented. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Json } from '../../../src/registers/contract.ts';
import { ee } from '../../../src/registers/ee/register.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importPartyTexts } from '../party-files.ts';

type Item = { readonly [key: string]: Json };

const BOARD_MEMBER: Item = {
  kirje_id: 101,
  kaardi_nr: 1,
  isiku_tyyp: 'F',
  isiku_roll: 'JUHL',
  isiku_roll_tekstina: 'Juhatuse liige',
  eesnimi: 'Kadri',
  nimi_arinimi: 'Näidis',
  isikukood_hash: '00000000-0000-5000-8000-000000000001',
  isikukood_registrikood: '47001010000',
  valis_kood: '010170-123A',
  valis_kood_riik: 'FIN',
  synniaeg: '01.01.1970',
  aadress_riik: 'FIN',
  aadress_riik_tekstina: 'Soome',
  aadress_tanav_maja_korter: 'Koduaia 7',
  aadress_ads__ads_normaliseeritud_taisaadress: 'Harju maakond, Koduaia 7',
  algus_kpv: '25.11.2021',
  lopp_kpv: null,
  email: 'kadri@naidis.example',
};
const PARTNER: Item = {
  kirje_id: 102,
  isiku_tyyp: 'J',
  isiku_roll: 'TOSAN',
  isiku_roll_tekstina: 'Täisosanik',
  eesnimi: null,
  nimi_arinimi: 'Kaskmäe OÜ',
  isikukood_registrikood: '1000001',
  algus_kpv: '06.01.2010',
  lopp_kpv: null,
};
const KEEPER: Item = {
  kirje_id: 103,
  isiku_tyyp: 'J',
  isiku_roll: 'ARP',
  isiku_roll_tekstina: 'Aktsiaraamatu pidaja',
  nimi_arinimi: 'Näidis CSD SE',
  isikukood_registrikood: null,
  valis_kood: '40003242879',
  valis_kood_riik: 'LVA',
  valis_kood_riik_tekstina: 'Läti',
  aadress_tanav_maja_korter: 'Parauga iela 1, Riia',
  algus_kpv: '27.09.2017',
};
const RULES = [{ roll: 'JUHL', sisu: 'Ühingut võib esindada iga juhatuse liige.' }];
const CONDITIONS = [{ kirje_id: 104, esinduse_tyyp: 'YHES', esinduse_sisu: 'Kadri Näidis ainult ühiselt' }];
const CARD = {
  ariregistri_kood: 10000002,
  nimi: 'Näidis Kaubandus AS',
  kaardile_kantud_isikud: [BOARD_MEMBER, PARTNER, KEEPER],
  esindusoiguse_normaalregulatsioonid: RULES,
  esindusoiguse_eritingimused: CONDITIONS,
  hooneyhistu_liikmed: [{ kirje_id: 105, eesnimi: 'Mati', nimi_arinimi: 'Proov', algus_kpv: '01.02.2015' }],
};
const write = (...companies: readonly Item[]) => JSON.stringify(companies);
const importCard = (mode: 'organisations' | 'names') => importPartyTexts(ee, { 'kaart.json': write(CARD) }, mode);

describe('officers of Estonia', () => {
  test('organisations are linked by their number, in Estonia and in other registers', async () => {
    const { result, parties } = await importCard('organisations');
    assert.deepEqual(
      [result.problems, result.unknownColumns, result.skipped],
      [[], [], [{ reason: 'a person', rows: 2 }]],
    );
    const found = parties.map(({ company, role, partyRegister, partyNumber, from, content }) => [
      ...[company, role, content.roleText, content.name, content.number, content.countryCode],
      ...[partyRegister, partyNumber, from],
    ]);
    assert.deepEqual(found, [
      [
        '10000002',
        'other',
        'Aktsiaraamatu pidaja',
        'Näidis CSD SE',
        '40003242879',
        'LV',
        'lv',
        '40003242879',
        '2017-09-27',
      ],
      ['10000002', 'partner', 'Täisosanik', 'Kaskmäe OÜ', '1000001', 'EE', 'ee', '01000001', '2010-01-06'],
    ]);
    assert.ok(parties.every(({ set, place, current }) => set === 'officers' && place === 1 && current));
  });

  test('nothing about a person is stored without the mode names, not even in rules of representation', async () => {
    const { parties } = await importCard('organisations');
    assert.doesNotMatch(JSON.stringify(parties), /Kadri|Mati|Proov/);
    assert.deepEqual(parties[0]?.sourceData.esindusoiguse_normaalregulatsioonid, RULES);
    const [condition] = CONDITIONS;
    const withheld = { ...condition, esinduse_sisu: 'withheld: natural persons' };
    assert.deepEqual(parties[0]?.sourceData.esindusoiguse_eritingimused, [withheld]);
    assert.equal(parties[0]?.sourceData.kaardile_kantud_isikud[0].aadress_tanav_maja_korter, 'Parauga iela 1, Riia');
  });

  test('with names, every field of a person is stored as published', async () => {
    const { parties } = await importCard('names');
    assert.deepEqual(parties.map(({ role, content }) => [role, content.kind, content.name]).sort(), [
      ['director', 'person', 'Kadri Näidis'],
      ['member', 'unknown', 'Mati Proov'],
      ['other', 'organisation', 'Näidis CSD SE'],
      ['partner', 'organisation', 'Kaskmäe OÜ'],
    ]);
    const director = parties.find(({ role }) => role === 'director');
    assert.deepEqual([director?.content.number, director?.content.countryCode], [null, null]);
    const { kaardile_kantud_isikud: list, ...common } = director?.sourceData ?? {};
    const { hooneyhistu_liikmed: _members, kaardile_kantud_isikud: _list, ...expected } = CARD;
    assert.deepEqual(common, expected);
    assert.deepEqual(list, [BOARD_MEMBER]);
  });

  test('a foreign number is a link only if its country is certain and it has the form of that register', async () => {
    const keeper = (changes: Item, at: number) => ({ ...KEEPER, kirje_id: 200 + at, ...changes });
    const cases: readonly (readonly [Item, string | null, string | null])[] = [
      [{ valis_kood_riik: 'LTU', valis_kood: '300000003' }, 'lt', '300000003'],
      [{ valis_kood_riik: 'FIN', valis_kood: '0100000-2' }, 'fi', '0100000-2'],
      [{ valis_kood_riik: 'FIN', valis_kood: '01000001' }, null, null],
      [{ valis_kood_riik: 'GBR', valis_kood: 'SC123456' }, 'gb', 'SC123456'],
      [{ valis_kood_riik: 'DEU', valis_kood: 'HRB 4408' }, null, null],
      [{ valis_kood_riik: null, valis_kood: '40003242879' }, null, null],
    ];
    const card = { ...CARD, kaardile_kantud_isikud: cases.map(([changes], at) => keeper(changes, at)) };
    const { parties } = await importPartyTexts(ee, { 'kaart.json': write(card) }, 'organisations');
    const byId = new Map(parties.map((party) => [party.sourceData.kaardile_kantud_isikud[0].kirje_id, party]));
    for (const [at, [, register, number]] of cases.entries()) {
      const { partyRegister, partyNumber } = byId.get(200 + at) ?? {};
      assert.deepEqual([partyRegister, partyNumber], [register, number], String(at));
    }
  });

  test('each role of the card has one of ours', async () => {
    const roles = [
      ...[
        ['JUHE', 'director'],
        ['PROK', 'representative'],
        ['LIKV', 'liquidator'],
        ['PANKR', 'insolvency_administrator'],
      ],
      ...[
        ['UOSAN', 'partner'],
        ['FV', 'fund_manager'],
        ['KISIK', 'other'],
        ['XYZ', 'other'],
      ],
    ] as const;
    const list = roles.map(([code], at) => ({
      ...PARTNER,
      kirje_id: at + 1,
      isiku_roll: code,
      isiku_roll_tekstina: null,
    }));
    const { result, parties } = await importPartyTexts(
      ee,
      { 'kaart.json': write({ ...CARD, kaardile_kantud_isikud: list, hooneyhistu_liikmed: [] }) },
      'organisations',
    );
    assert.deepEqual(result.problems, []);
    const found = new Map(parties.map(({ role, content }) => [content.roleText, role]));
    assert.deepEqual(found, new Map(roles));
  });
});

test('persons beside the card are known by the text of their role', async () => {
  const list = ['Nõukogu liige', 'Audiitor', 'Asutaja'].map((label, at) => ({
    ...PARTNER,
    kirje_id: at + 1,
    isiku_roll: `X${at}`,
    isiku_roll_tekstina: label,
  }));
  const text = write({ ariregistri_kood: 10000002, nimi: 'Näidis', kaardivalised_isikud: list });
  const { parties } = await importPartyTexts(ee, { 'kandevalised.json': text }, 'organisations');
  assert.deepEqual(parties.map(({ set, role }) => `${set} ${role}`).sort(), [
    'off_card auditor',
    'off_card director',
    'off_card founder',
  ]);
});

test('shareholders have the percentage that the file states, and joint owners at most as much', async () => {
  const owner = (at: number, changes: Item) => ({
    ...PARTNER,
    kirje_id: at,
    isiku_roll: 'OSAN',
    isiku_roll_tekstina: 'Osanik',
    osaluse_protsent: '60.00',
    osaluse_omandiliik: 'L',
    ...changes,
  });
  const osanikud = [
    owner(1, {}),
    owner(2, { isiku_roll: 'O', osaluse_protsent: '33,33' }),
    owner(3, { osaluse_omandiliik: 'Y', osaluse_protsent: '6.67' }),
    owner(4, { osaluse_protsent: null }),
    owner(5, { osaluse_protsent: '0.00' }),
    owner(6, { osaluse_protsent: '101' }),
  ];
  const pledge = { kirje_id: 9, eesnimi: 'Mati', nimi_arinimi: 'Proov' };
  const company = { ariregistri_kood: 10000002, nimi: 'Näidis', osanikud };
  const text = write({ ...company, osapandid_tingimuslikud_voorandamised: [pledge] });
  const { result, parties } = await importPartyTexts(ee, { 'osanikud.json': text }, 'names');
  const shares = parties.map(({ sourceData, role, content }) => [
    sourceData.osanikud[0].kirje_id,
    role,
    content.interests,
  ]);
  const shared = (share: Json) => [{ type: 'shares', share }];
  assert.deepEqual(shares.sort(), [
    [1, 'shareholder', shared({ exact: 60 })],
    [2, 'shareholder', shared({ exact: 33.33 })],
    [3, 'shareholder', shared({ max: 6.67 })],
    [4, 'shareholder', shared(null)],
    [5, 'shareholder', shared(null)],
    [6, 'shareholder', shared(null)],
  ]);
  assert.deepEqual(
    result.problems.map(({ value, problem }) => [value, problem]),
    [['101', 'not a percentage']],
  );
  assert.deepEqual(result.skipped, [{ reason: 'a pledge of shares', rows: 1 }]);
});

const sample = realSample('ee/ettevotja_rekvisiidid__kaardile_kantud_isikud.json');
if (sample !== undefined) {
  test('every value of the real sample is kept', async () => {
    const text = readFileSync(sample, 'utf8');
    const { result, parties } = await importPartyTexts(ee, { 'kaart.json': text }, 'names');
    assert.deepEqual([result.problems, result.unknownColumns, result.skipped], [[], [], []]);
    const companies = JSON.parse(text) as { readonly kaardile_kantud_isikud: readonly Item[] }[];
    const stored = new Map(
      parties.map((party) => [party.sourceData.kaardile_kantud_isikud[0].kirje_id, party.sourceData]),
    );
    for (const company of companies) {
      for (const person of company.kaardile_kantud_isikud) {
        const {
          kaardile_kantud_isikud: [kept],
          ...common
        } = stored.get(person.kirje_id);
        for (const [key, value] of Object.entries(person)) assert.deepEqual(kept[key], value, key);
        for (const [key, value] of Object.entries(common))
          assert.deepEqual(value, company[key as keyof typeof company]);
      }
    }
    // One person is listed twice.
    assert.deepEqual([parties.length, result.parties?.duplicates], [33, 1]);
    const organisations = await importPartyTexts(ee, { 'kaart.json': text }, 'organisations');
    assert.equal(organisations.parties.length, 8);
  });
}
