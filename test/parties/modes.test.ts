import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { parsePartyModes } from '../../src/base/config/config.ts';
import {
  exceeds,
  listSetModes,
  lowerModes,
  partyModes,
  type SetModes,
  type SwitchedRegister,
} from '../../src/base/party-modes.ts';
import { registers } from '../../src/registers/index.ts';
import { describeVisible } from '../../src/registry/parties/store.ts';
import { checkPartyModes } from '../../src/services/parties.ts';

const lv: SwitchedRegister = {
  id: 'lv',
  sources: [{ parties: { set: 'officers' } }, { parties: { set: 'beneficial_owners', onlyPersons: true } }, {}],
};
const modesOf = (text: string) => listSetModes(parsePartyModes(text === '' ? [] : text.split(',')), lv);

test('a set has its own mode, that of its register, or the general one; where persons are left out, a set of only persons is off', () => {
  const names = { '': 'names', officers: 'names', beneficial_owners: 'names' };
  assert.deepEqual(modesOf(''), names);
  assert.deepEqual(modesOf('off,lv=names'), names);
  assert.deepEqual(modesOf('lv/officers=off,lv/beneficial_owners=organisations'), {
    ...{ '': 'names', officers: 'off', beneficial_owners: 'organisations' },
  });
  assert.deepEqual(modesOf('organisations'), {
    ...{ '': 'organisations', officers: 'organisations', beneficial_owners: 'off' },
  });
  assert.deepEqual(modesOf('organisations,lv/beneficial_owners=names'), {
    ...{ '': 'organisations', officers: 'organisations', beneficial_owners: 'names' },
  });
});

test('what a store has is compared set by set', () => {
  const held = { '': 'organisations', officers: 'names', beneficial_owners: 'off' } as const;
  assert.equal(exceeds(held, held), false);
  assert.equal(exceeds(held, { ...held, beneficial_owners: 'names' }), false);
  assert.equal(exceeds(held, { ...held, officers: 'organisations', beneficial_owners: 'names' }), true);
  assert.equal(exceeds({ other: 'names' }, { '': 'organisations' }), true);
  const allowed = { ...held, officers: 'organisations', beneficial_owners: 'names' } as const;
  assert.deepEqual(lowerModes(held, allowed), { ...held, officers: 'organisations' });
});

test('an unknown register or set is refused with those that exist', () => {
  const check = (text: string) => () => checkPartyModes(parsePartyModes(text.split(',')), registers);
  assert.doesNotThrow(check('organisations,gleif=off,ua/beneficial_owners=names,gleif/relationships=off'));
  assert.throws(check('names,xx=off'), /PARTIES names the register "xx", which does not exist/);
  assert.throws(check('gleif/owners=off'), /PARTIES names "gleif\/owners", but its sets are relationships, exceptions/);
  assert.throws(check('ie/owners=off'), /PARTIES names "ie\/owners", but ie has no sets/);
});

test('the condition of reads lets through exactly what the modes allow', () => {
  const organisations = new Map([['gb', { '': 'organisations' as const }]]);
  assert.equal(describeVisible(organisations), '(p.is_person = 0)');
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE parties (register TEXT, set_name TEXT, is_person INTEGER)');
  const rows = ['aa', 'bb'].flatMap((register) =>
    ['one', 'two', 'record'].flatMap((set) => [0, 1].map((isPerson) => ({ register, set, isPerson }))),
  );
  const insert = database.prepare('INSERT INTO parties VALUES (?, ?, ?)');
  for (const { register, set, isPerson } of rows) insert.run(register, set, isPerson);
  const mode = fc.constantFrom(...partyModes);
  const sets = fc.record({ '': mode, one: mode, two: mode });
  fc.assert(
    fc.property(sets, sets, (aa, bb) => {
      const found = database
        .prepare(
          `SELECT register, set_name AS "set", is_person AS "isPerson" FROM parties p
            WHERE TRUE AND ${describeVisible(
              new Map([
                ['aa', aa],
                ['bb', bb],
              ]),
            )} ORDER BY rowid`,
        )
        .all();
      const modeOf = (modes: SetModes, set: string) => modes[set] ?? modes[''];
      const allowed = rows.filter(({ register, set, isPerson }) => {
        const found = modeOf(register === 'aa' ? aa : bb, set);
        return found === 'names' || (found === 'organisations' && isPerson === 0);
      });
      assert.deepEqual(
        found.map((row) => ({ ...row })),
        allowed,
      );
    }),
  );
});
