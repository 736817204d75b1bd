import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readAddress } from '../../../src/registers/md/address.ts';
import { listFounders } from '../../../src/registers/md/parties.ts';

it('MD takes the city and the district out of the address, if they can be recognized', () => {
  const read = (text: string) => {
    const { city, municipality, postCode } = readAddress(text) ?? {};
    return [city, municipality, postCode];
  };
  assert.deepEqual(read('str. <, 11'), [undefined, undefined, undefined]);
  assert.deepEqual(read('Rezina, str. Dacia, 37'), ['Rezina', undefined, undefined]);
  assert.deepEqual(read('MD-2050, mun. Chişinău, com. Stăuceni, str. Păcii, 5'), ['Stăuceni', 'Chişinău', 'MD-2050']);
  assert.deepEqual(read('r-nul Orhei, s. Peresecina, str. Dacia, 1'), ['Peresecina', 'Orhei', undefined]);
  assert.deepEqual(read('UTA Găgăuzia, mun. Comrat'), ['Comrat', undefined, undefined]);
  assert.deepEqual(read('Strada Columna, 5'), [undefined, undefined, undefined]);
  assert.deepEqual(read('str. Columna, 5'), [undefined, undefined, undefined]);
});

it('MD keeps what the source says about a founder', () => {
  const [joint, state, group, firm] = listFounders(
    'POPA ION, POPA ANA (25,00%), STATUL (50,00%), TOTAL 71 MEMBRI (5%), "ALFA" SRL, IDNO 1099600123450 (20%)',
  ).filter((_, index) => index !== 1);
  assert.deepEqual(joint, { role: 'founder', name: 'POPA ION', jointShare: 25, jointWith: ['POPA ANA'] });
  assert.deepEqual(state, { role: 'founder', kind: 'organisation', name: 'STATUL', state: true, share: 50 });
  assert.deepEqual(group, { role: 'founder', name: 'TOTAL 71 MEMBRI', group: true, members: 71, share: 5 });
  assert.deepEqual(firm, {
    role: 'founder',
    kind: 'organisation',
    name: '"ALFA" SRL',
    number: '1099600123450',
    share: 20,
  });
});
