/** Generates the files of Level 2 for the invented entities of `gleif.ts`: who owns whom, and why some name no parent. */
import { EXCEPTION_COLUMNS, RELATIONSHIP_COLUMNS } from '../../src/registers/gleif/level2.ts';
import { type Chance, createChance } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { listLeis } from './gleif.ts';

const REASONS = ['NON_CONSOLIDATING', 'NATURAL_PERSONS', 'NO_KNOWN_PERSON', 'NO_LEI', 'NON_PUBLIC'];
const FUND_TYPES = ['IS_FUND-MANAGED_BY', 'IS_SUBFUND_OF', 'IS_FEEDER_TO', 'IS_INTERNATIONAL_BRANCH_OF'];
/** How many companies can become the parent of the next one. */
const MAX_PARENTS = 1_000;

type Cells = Readonly<Record<string, string>>;

interface Group {
  readonly lei: string;
  /** Null if it is at the top. */
  readonly parent: string | null;
  readonly top: string;
}

/** The same companies have the same parents in both files. */
function* generateGroups(rows: number, seed: number): Generator<Group & { readonly chance: Chance }> {
  const chance = createChance(seed + 1);
  const known: Group[] = [];
  for (const lei of listLeis(rows, seed)) {
    const above = known.length > 0 && chance.is(0.4) ? chance.pick(known) : null;
    const group: Group = { lei, parent: above?.lei ?? null, top: above?.top ?? lei };
    if (known.length < MAX_PARENTS) known.push(group);
    yield { ...group, chance };
  }
}

function* generateRelationships(rows: number, seed: number): Generator<Cells> {
  for (const { lei, parent, top, chance } of generateGroups(rows, seed)) {
    if (parent === null) continue;
    yield writeRelationship(chance, lei, parent, 'IS_DIRECTLY_CONSOLIDATED_BY');
    yield writeRelationship(chance, lei, top, 'IS_ULTIMATELY_CONSOLIDATED_BY');
    if (chance.is(0.2)) yield writeRelationship(chance, lei, top, chance.pick(FUND_TYPES));
  }
}

function writeRelationship(chance: Chance, start: string, end: string, type: string): Cells {
  const isActive = chance.is(0.95);
  return {
    'Relationship.StartNode.NodeID': start,
    'Relationship.StartNode.NodeIDType': 'LEI',
    'Relationship.EndNode.NodeID': end,
    'Relationship.EndNode.NodeIDType': 'LEI',
    'Relationship.RelationshipType': type,
    'Relationship.RelationshipStatus': isActive ? 'ACTIVE' : 'INACTIVE',
    'Relationship.Period.1.startDate': `${chance.date(2020, 2023)}T00:00:00Z`,
    'Relationship.Period.1.endDate': `${chance.date(2024, 2024)}T00:00:00Z`,
    'Relationship.Period.1.periodType': 'ACCOUNTING_PERIOD',
    'Relationship.Period.2.startDate': `${chance.date(2005, 2015)}T00:00:00.000Z`,
    'Relationship.Period.2.endDate': isActive ? '' : `${chance.date(2016, 2025)}T00:00:00.000Z`,
    'Relationship.Period.2.periodType': 'RELATIONSHIP_PERIOD',
    'Registration.RegistrationStatus': isActive ? chance.pick(['PUBLISHED', 'PUBLISHED', 'LAPSED']) : 'RETIRED',
    'Registration.ManagingLOU': 'EVK05KS7XY1DEII3R011',
    'Registration.ValidationSources': 'FULLY_CORROBORATED',
  };
}

function* generateExceptions(rows: number, seed: number): Generator<Cells> {
  for (const { lei, parent, chance } of generateGroups(rows, seed)) {
    if (parent !== null) continue;
    const reason = chance.pick(REASONS);
    for (const level of ['DIRECT', 'ULTIMATE']) {
      const category = `${level}_ACCOUNTING_CONSOLIDATION_PARENT`;
      yield { LEI: lei, 'Exception.Category': category, 'Exception.Reason.1': reason };
    }
  }
}

function describe(file: string, columns: readonly string[], cells: () => Generator<Cells>): SyntheticFile {
  return {
    name: `gleif-goldencopy-${file}-golden-copy.csv.zip`,
    packing: 'zip',
    content: {
      type: 'csv',
      dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' },
      bom: false,
      quoting: 'all',
      lineEnd: '\n',
      header: columns,
      rows: {
        *[Symbol.iterator]() {
          for (const row of cells()) yield columns.map((column) => row[column] ?? '');
        },
      },
    },
  };
}

/** The files of the parties of so many companies, by set. */
export function generateParties(rows: number, seed: number): Readonly<Record<string, SyntheticFile>> {
  return {
    relationships: describe('rr', RELATIONSHIP_COLUMNS, () => generateRelationships(rows, seed)),
    exceptions: describe('repex', EXCEPTION_COLUMNS, () => generateExceptions(rows, seed)),
  };
}
