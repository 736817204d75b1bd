/** Generates the files of officers and owners for the invented entities of `lv.ts`. */
import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance, makeCsv } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { generatePerson, generateRows } from './lv.ts';

type Cells = Readonly<Record<string, string>>;
type Entity = readonly [number: string, name: string];

/** How many entities can own the next one. */
const MAX_OWNERS = 1_000;
const POSITIONS = ['BOARD_MEMBER', 'BOARD_MEMBER', 'CHAIR_OF_BOARD', 'PROCTOR', 'LIQUIDATOR'];

const COLUMNS = listColumns('lv', 'register');
const [NUMBER, NAME] = [COLUMNS.indexOf('regcode'), COLUMNS.indexOf('name')];

/** One to three rows of most entities. */
function* generateCells(
  rows: number,
  seed: number,
  make: (chance: Chance, known: readonly Entity[]) => Cells,
): Generator<Cells & { readonly id: string; readonly company: string }> {
  const chance = createChance(seed + 3);
  const known: Entity[] = [];
  let id = 0;
  for (const cells of generateRows(rows, seed)) {
    const [number, name] = [cells[NUMBER] ?? '', cells[NAME] ?? ''];
    for (let left = chance.between(0, 3); left > 0; left--) {
      const day = chance.date(2005, 2026);
      const dates = { registered_on: day, last_modified_at: `${day} 10:00:00` };
      const ofCompany = { id: String(++id), at_legal_entity_registration_number: number };
      yield { ...ofCompany, ...dates, ...make(chance, known), company: number };
    }
    if (known.length < MAX_OWNERS) known.push([number, name]);
  }
}

function makePerson(chance: Chance): Cells {
  const isForeign = chance.is(0.1);
  return {
    entity_type: 'NATURAL_PERSON',
    name: generatePerson(chance).split(' ').reverse().join(' '),
    latvian_identity_number_masked: isForeign ? '' : '010180-*****',
    birth_date: isForeign ? '1975-01' : '',
  };
}

function makeParty(chance: Chance, known: readonly Entity[], organisations: number): Cells {
  if (known.length === 0 || !chance.is(organisations)) return makePerson(chance);
  if (chance.is(0.2)) return { entity_type: 'FOREIGN_ENTITY', name: 'Näidis Holding OÜ' };
  const [number, name] = chance.pick(known);
  return { entity_type: 'LEGAL_ENTITY', name, legal_entity_registration_number: number };
}

function makeOfficer(chance: Chance, known: readonly Entity[]): Cells {
  return {
    ...makeParty(chance, known, 0.05),
    position: chance.pick(POSITIONS),
    governing_body: 'EXECUTIVE_BOARD',
    rights_of_representation_type: chance.pick(['INDIVIDUALLY', 'WITH_ALL']),
  };
}

function makeMember(chance: Chance, known: readonly Entity[]): Cells {
  const holder = chance.is(0.02) ? { entity_type: 'JOINT_OWNERS', name: '' } : makeParty(chance, known, 0.3);
  return {
    ...holder,
    number_of_shares: String(chance.between(1, 2_800)),
    share_nominal_value: '1',
    share_currency: 'EUR',
    date_from: chance.date(2005, 2026),
  };
}

function makeStockholder(chance: Chance, known: readonly Entity[]): Cells {
  return { ...makeMember(chance, known), votes: String(chance.between(1, 100)), stock_type: 'REGISTERED' };
}

function makeOwner(chance: Chance): Cells {
  const [forename = '', surname = ''] = generatePerson(chance).split(' ');
  return { ...makePerson(chance), forename, surname, nationality: 'LV', residence: chance.pick(['LV', 'LV', 'EE']) };
}

const MAKERS = {
  officers: makeOfficer,
  members: makeMember,
  stockholders: makeStockholder,
  beneficial_owners: makeOwner,
};

const DIALECT = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

/** Two owners for each joint share of a file: a person, and a person, a foreign entity or the first entity. */
function generateJointOwners(set: 'members' | 'stockholders', rows: number, seed: number): SyntheticFile {
  const columns = listColumns('lv', `joint owners of ${set}`);
  function* generate() {
    const chance = createChance(seed + 4);
    const [first = []] = generateRows(1, seed);
    const entity: Entity = [first[NUMBER] ?? '', first[NAME] ?? ''];
    let id = 0;
    for (const share of generateCells(rows, seed, MAKERS[set])) {
      if (share.entity_type !== 'JOINT_OWNERS') continue;
      const { registered_on = '', last_modified_at = '' } = share;
      for (const owner of [makePerson(chance), makeParty(chance, [entity], 0.5)]) {
        const cells: Cells = { ...owner, id: String(++id), member_id: share.id, registered_on, last_modified_at };
        yield columns.map((column) => cells[column] ?? '');
      }
    }
  }
  const content = makeCsv({ dialect: DIALECT }, columns, generate);
  return { name: `${set}_joint_owners.csv`, packing: 'none', content };
}

/** The files of the parties of so many entities, by set. */
export function generateParties(rows: number, seed: number): Readonly<Record<string, SyntheticFile>> {
  const files = Object.entries(MAKERS).map(([set, make]): [string, SyntheticFile] => {
    const columns = listColumns('lv', set);
    // In the file of beneficial owners, the number is that of the company.
    const read = ({ company, ...cells }: Cells, column: string) =>
      (set === 'beneficial_owners' && column === 'legal_entity_registration_number' ? company : cells[column]) ?? '';
    function* generate() {
      for (const cells of generateCells(rows, seed, make)) yield columns.map((column) => read(cells, column));
    }
    const content = makeCsv({ dialect: DIALECT }, columns, generate);
    return [set, { name: `${set}.csv`, packing: 'none', content }];
  });
  return {
    ...Object.fromEntries(files),
    'members-2': generateJointOwners('members', rows, seed),
    'stockholders-2': generateJointOwners('stockholders', rows, seed),
  };
}
