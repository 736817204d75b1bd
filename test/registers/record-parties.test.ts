import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { br } from '../../src/registers/br/register.ts';
import type { Register } from '../../src/registers/contract.ts';
import { md } from '../../src/registers/md/register.ts';
import { ro } from '../../src/registers/ro/register.ts';
import { sg } from '../../src/registers/sg/register.ts';
import { ua } from '../../src/registers/ua/register.ts';
import type { PartyOf } from '../../src/registers/vocabulary.ts';

const read = (register: Register, party: PartyOf) => register.recordParties?.(party) ?? null;
const organisation = (number: string, more: object = {}): PartyOf => {
  return { role: 'founder', kind: 'organisation', name: 'ALFA', number, ...more };
};

describe('what the parties of records mean', () => {
  test('md: a share, a joint share, an IDNO, and a group that is not named', () => {
    assert.deepEqual(read(md, organisation('1003600012345', { share: 40.5 })), {
      ...{ role: 'founder', roleText: 'founder', kind: 'organisation', name: 'ALFA', number: '1003600012345' },
      link: { register: 'md', number: '1003600012345' },
      interests: [{ type: 'shares', share: { exact: 40.5 } }],
      ...{ countryCode: null, from: null, until: null, absence: null },
    });
    const joint = read(md, { role: 'founder', name: 'POPA ION', jointShare: 25, jointWith: ['RUSU ANA'] });
    assert.deepEqual([joint?.kind, joint?.interests], ['unknown', [{ type: 'shares', share: { max: 25 } }]]);
    const nothing = read(md, { role: 'founder', name: 'POPA ION', share: 0 });
    assert.deepEqual(nothing?.interests, []);
    const group = read(md, { role: 'founder', name: 'TOTAL 71 MEMBRI', group: true });
    assert.deepEqual([group?.name, group?.absence], [null, { reason: 'not_disclosed', text: 'TOTAL 71 MEMBRI' }]);
  });

  test('br: a full CNPJ is linked, a masked number is not, partners without capital own nothing', () => {
    const company = read(br, organisation('12345678000195', { role: 'partner', roleLabel: 'Sócio', roleCode: '22' }));
    assert.deepEqual(company?.link, { register: 'br', number: '12345678000195' });
    const person: PartyOf = { role: 'partner', kind: 'person', name: 'RUI', number: '***839507**', roleCode: '49' };
    const { number, link, role } = read(br, { ...person, from: '2020-01-02' }) ?? {};
    assert.deepEqual(
      [number, link, role, read(br, { ...person, from: '2020-01-02' })?.from],
      [...['***839507**', null, 'partner', '2020-01-02']],
    );
    for (const roleCode of ['26', '53']) assert.equal(read(br, { ...person, roleCode })?.role, 'other');
    assert.equal(read(br, organisation('not a number'))?.link, null);
  });

  test('ua: a contribution is an interest, an EDRPOU a link, and some texts are not parties', () => {
    const owner = read(ua, organisation('22824090', { contribution: { amount: 1000, currency: 'UAH' } }));
    assert.deepEqual(
      [owner?.link, owner?.interests],
      [{ register: 'ua', number: '22824090' }, [{ type: 'shares', share: null }]],
    );
    assert.deepEqual(read(ua, organisation('22824090'))?.interests, []);
    const absence = (role: PartyOf['role'], name: string) => read(ua, { role, name })?.absence;
    assert.deepEqual(absence('beneficial_owner', 'причина відсутності: частка менше 25%'), {
      ...{ reason: 'not_disclosed', text: 'причина відсутності: частка менше 25%' },
    });
    assert.equal(absence('founder', 'ФІЗИЧНІ ОСОБИ')?.reason, 'persons');
    for (const name of ['[ЗАСНОВНИК]', '0 0', '?']) assert.equal(read(ua, { role: 'founder', name }), null);
  });

  test('sg links by UEN, ro links nothing', () => {
    const auditor = read(sg, organisation('T08PF0001A', { role: 'auditor' }));
    assert.deepEqual(auditor?.link, { register: 'sg', number: 'T08PF0001A' });
    assert.equal(read(ro, organisation('123', { role: 'liquidator' }))?.link, null);
  });
});
