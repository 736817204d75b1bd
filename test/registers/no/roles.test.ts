import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Json, MappedParty, Rejection, TreeSource } from '../../../src/registers/contract.ts';
import { no } from '../../../src/registers/no/register.ts';
import { realSample } from '../../harness/real-samples.ts';
import { importTexts } from '../../harness/register-files.ts';

const source = no.sources.find(({ parties }) => parties !== undefined) as TreeSource<unknown>;
const { split, map } = source.parties as NonNullable<TreeSource<unknown>['parties']>;

const person = (fornavn: string, etternavn: string) => ({
  person: { fodselsdato: '1970-01-31', navn: { fornavn, mellomnavn: 'M', etternavn }, erDoed: false },
});
const unit = (organisasjonsnummer: string, ...navn: readonly string[]) => ({
  enhet: {
    organisasjonsnummer,
    organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
    navn,
    erSlettet: false,
  },
});
const role = (kode: string, who: object, more: object = {}) => ({
  type: { kode, beskrivelse: `${kode} in words` },
  ...who,
  fratraadt: false,
  avregistrert: false,
  rekkefolge: 0,
  ...more,
});
const company = (roller: readonly object[], group = 'STYR') =>
  ({
    organisasjonsnummer: '923609016',
    rollegrupper: [{ type: { kode: group, beskrivelse: group }, sistEndret: '2026-02-17', roller }],
  }) as unknown as { readonly [key: string]: Json };

function mapAll(record: { readonly [key: string]: Json }) {
  const reports: string[] = [];
  const context = {
    codes: null,
    report: (...report: string[]) => void reports.push(report.join(' ')),
    reportUnknown: (...report: string[]) => void reports.push(report.join(' ')),
  };
  return { parties: split?.(record).map((row) => map(row, context)) as (MappedParty & Rejection)[], reports };
}

describe('roles of Norway', () => {
  test('one row for each role has all that the record says', () => {
    const roles = [role('LEDE', person('Kari', 'Berg')), role('MEDL', unit('810000007', 'FJORD', 'AS'))];
    const [group] = company(roles).rollegrupper as unknown as { roller: object[] }[];
    const { roller: _roller, ...rollegruppe } = group ?? { roller: [] };
    assert.deepEqual(
      split?.(company(roles)),
      roles.map((rolle) => ({ organisasjonsnummer: '923609016', rollegruppe, rolle })),
    );
    for (const empty of [[], null]) {
      const record = { organisasjonsnummer: '923609016', rollegrupper: empty };
      assert.deepEqual(split?.(record), [record]);
    }
    const [row] = split?.(company([])) ?? [];
    assert.deepEqual(row, { organisasjonsnummer: '923609016', rollegruppe: { ...rollegruppe, roller: [] } });
  });

  test('persons and organisations; organisations are linked by number', () => {
    const { parties, reports } = mapAll(
      company([role('LEDE', person('Kari', 'Berg')), role('REVI', unit('810000007', 'FJORD', 'REVISJON AS'))]),
    );
    const rest = { countryCode: null, interests: [], from: null, until: null, current: true, absence: null };
    assert.deepEqual(parties, [
      {
        ...{
          company: '923609016',
          key: 'STYR/LEDE/Kari M Berg/1970-01-31',
          role: 'director',
          roleText: 'LEDE in words',
        },
        ...{ kind: 'person', name: 'Kari M Berg', number: null, link: null, ...rest },
      },
      {
        ...{ company: '923609016', key: 'STYR/REVI/810000007', role: 'auditor', roleText: 'REVI in words' },
        ...{ kind: 'organisation', name: 'FJORD REVISJON AS', number: '810000007' },
        ...{ link: { register: 'no', number: '810000007' }, ...rest },
      },
    ]);
    assert.deepEqual(reports, []);
  });

  test('every code of the publisher has a role, and an unknown one is reported', () => {
    const roles = {
      director: 'LEDE NEST MEDL VARA DAGL',
      partner: 'DTPR DTSO KOMP SAM',
      member: 'EIKM',
      representative: 'BEST REPR FFØR SIGN SIFE SIHV PROK POFE POHV',
      insolvency_administrator: 'BOBE',
      auditor: 'REVI',
      head_office: 'HFOR',
      other: 'OBS INNH KDEB REGN HLSE ADOS ORGL KTRF OPMV KIRK',
    };
    for (const [expected, codes] of Object.entries(roles)) {
      for (const code of codes.split(' ')) {
        const { parties, reports } = mapAll(company([role(code, unit('810000007', 'FJORD AS'))]));
        assert.deepEqual([parties[0]?.role, reports], [expected, []], code);
      }
    }
    const { parties, reports } = mapAll(company([role('NEW', unit('810000007', 'FJORD AS'))]));
    assert.deepEqual([parties[0]?.role, parties[0]?.roleText], ['other', 'NEW in words']);
    assert.deepEqual(reports, ['rolle.type.kode NEW unknown role']);
  });

  test('what has ended, has no name or is not of an officer is skipped', () => {
    const skipped = [
      role('LEDE', person('A', 'B'), { fratraadt: true }),
      role('LEDE', person('A', 'B'), { avregistrert: true }),
      role('KONT', person('A', 'B')),
      role('KENK', person('A', 'B')),
      role('MEDL', {}),
    ];
    for (const each of skipped) assert.equal(mapAll(company([each])).parties[0]?.expected, true, JSON.stringify(each));
    assert.deepEqual(mapAll({ organisasjonsnummer: '', rollegrupper: [] }).parties[0], {
      rejected: 'no organisation number',
    });
  });
});

const sample = realSample('no/roller_totalbestand_923609016.json');
if (sample !== undefined) {
  test('the real sample is read completely, with the names of persons', async () => {
    const { result } = await importTexts(no, { 'roller.json': readFileSync(sample) });
    assert.deepEqual([result.parties?.rows, result.parties?.added], [16, 16]);
    assert.deepEqual(result.skipped, []);
    assert.deepEqual([result.problems, result.unknownColumns, result.unknownValues], [[], [], []]);
  });
}
