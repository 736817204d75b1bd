import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PartyModes } from '../../src/base/party-modes.ts';
import type { Register } from '../../src/registers/contract.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { no } from '../../src/registers/no/register.ts';
import { useFetching } from './fetching.ts';
import { useImitatedPublishers } from './imitated-publishers.ts';

/** What a fetch leaves out of each register if parties are off. */
const LEFT_OUT: readonly (readonly [register: Register, files: number, sets: string])[] = [
  [ee, 1, 'officers, off_card, shareholders'],
  [gb, 1, 'psc'],
  [gleif, 1, 'relationships, exceptions'],
  [lv, 1, 'officers, members, stockholders, beneficial_owners'],
  [no, 1, 'roles'],
];

const OFF: PartyModes = { all: 'off', exceptions: {} };

/** Generated files are small. */
function withMinimum(register: Register, min: number): Register {
  const { fetch: plan } = register;
  assert.ok(plan.kind !== 'manual');
  return { ...register, fetch: { ...plan, size: { ...plan.size, min, minWithoutParties: 1 } } };
}

describe('files of parties that are switched off', () => {
  const publishers = useImitatedPublishers(LEFT_OUT.map(([register]) => register));
  const proxies = () => ({ http: '', https: publishers.proxy, except: '' });

  test('are those of all registers that publish parties in files of their own', () => {
    const published = registers.filter(({ sources }) => sources.some(({ parties }) => parties !== undefined));
    const listed = LEFT_OUT.map(([{ id }]) => id);
    assert.deepEqual(published.map(({ id }) => id).sort(), listed.sort());
  });

  for (const [register, files, sets] of LEFT_OUT) {
    test(`${register.id}: they are not requested, the result says so, and they come with the next fetch when they are on`, async () => {
      const { fetch } = useFetching();
      const from = publishers.requests.length;
      // Together they are too small for the register, but not without parties.
      const off = await fetch({ register: withMinimum(register, 1e9), proxies: proxies(), parties: OFF });
      const message = `Files of parties are left out, because PARTIES is off for them: ${sets}.`;
      assert.deepEqual([off.outcome, off.message, off.files.length], ['new', message, files]);
      const asked = publishers.requests.slice(from).join('\n');
      assert.doesNotMatch(asked, /psc|isikud|osanikud|officers|members|stockholders|owners|roller|\/rr\.|repex/);
      const again = await fetch({ register: withMinimum(register, 1), proxies: proxies(), parties: OFF });
      assert.deepEqual([again.outcome, again.message], ['unchanged', message]);
      const on = await fetch({ register: withMinimum(register, 1), proxies: proxies() });
      assert.deepEqual([on.outcome, on.message], ['new', null]);
      assert.ok(on.files.length > files);
      // Less than half of the bytes, but that is what the operator asked for.
      const less = await fetch({ register: withMinimum(register, 1e9), proxies: proxies(), parties: OFF });
      assert.deepEqual([less.outcome, less.message, less.files.length], ['new', message, files]);
    });
  }

  test('can be those of one register or set, and a set of only persons comes where persons are not left out, or if it is named', async () => {
    const names = async (exceptions: PartyModes['exceptions']) => {
      const parties = { all: 'organisations', exceptions } as const;
      const { files } = await useFetching().fetch({ register: withMinimum(lv, 1), proxies: proxies(), parties });
      return files.map(({ name }) => name).join(' ');
    };
    const stockholders = 'stockholders.csv stockholders_joint_owners.csv';
    const usual = `register.csv officers.csv members.csv members_joint_owners.csv ${stockholders}`;
    assert.equal(await names({}), usual);
    assert.equal(await names({ lv: 'names' }), `${usual} beneficial_owners.csv`);
    assert.equal(await names({ gb: 'off', 'lv/members': 'off' }), `register.csv officers.csv ${stockholders}`);
    assert.equal(await names({ 'lv/beneficial_owners': 'names' }), `${usual} beneficial_owners.csv`);
  });
});
