import type { Command } from '../base/terminal/command.ts';
import { printable, printableJson } from '../base/terminal/printable.ts';
import { renderTable } from '../base/terminal/table.ts';
import type { RegisterState, Registry } from '../registry/registry.ts';
import { open } from '../services/open.ts';

export const command: Command = {
  name: 'registers',
  options: {
    unknown: {
      type: 'boolean',
      description:
        'List the statuses, legal forms and activities in the imported files that the registers do not know.',
    },
    json: { type: 'boolean', description: 'Print the list as JSON.' },
  },
  help: `
Lists every supported register: where to download its official file, how many companies are imported, the day that the data
describes, and when it was last checked and imported. Data is "due" one publishing period after that day, and "overdue" after
two. "sample" marks synthetic data. With --unknown it lists the values whose meaning is unknown, of the latest full import of each
register and of the imports after it. A narrow terminal and files show fewer columns; --json prints all of them.`,
  examples: [
    ['registers', 'List all registers.'],
    ['registers --unknown', 'List values that need a meaning.'],
    ['registers --json | jq -r ".[].sourceUrl"', 'List where the files come from.'],
  ],
  async run({ values }) {
    await using opened = open();
    const { registry, clock, requireSchema } = opened.services;
    await requireSchema();
    const listing = values.unknown
      ? await listUnknown(registry)
      : listRegisters(await registry.listRegisters(clock.now()));
    const { rows, header, cells, notes = [] } = listing;
    if (values.json) process.stdout.write(printableJson(rows));
    // Only the list of unknown values can be empty.
    else if (rows.length === 0) process.stdout.write(NOTHING_UNKNOWN);
    else process.stdout.write(renderTable(header, cells, FIT));
    if (!values.json) for (const note of notes) process.stdout.write(`${note}\n`);
  },
};

const NOTHING_UNKNOWN =
  'There are no unknown values: the registers know every status, legal form and activity of the imported files.\n';

/** Columns that a narrow terminal omits or cuts. */
const FIT = { omit: ['SOURCE', 'LICENCE', 'COUNTRY', 'LAST IMPORT', 'CHECKED'], cut: ['REGISTER', 'VALUE'] };

interface Listing {
  readonly rows: readonly object[];
  readonly header: readonly string[];
  readonly cells: readonly (readonly (string | number)[])[];
  readonly notes?: readonly string[];
}

function listRegisters(states: readonly RegisterState[]): Listing {
  const rows = states.map(({ register, ...state }) => ({
    register: register.id,
    country: register.country,
    name: register.name,
    publisher: register.publisher,
    licence: register.licence,
    attribution: register.attribution,
    updates: register.updates,
    entities: state.entities,
    synthetic: state.synthetic,
    asOf: state.asOf,
    checkedAt: formatTime(state.checkedAt),
    lastImport: formatTime(state.importedAt),
    freshness: state.freshness,
    failures: state.failures,
    problem: state.problem,
    sourceUrl: register.sourceUrl,
  }));
  const cells = rows.map((row) => [
    row.register,
    row.country ?? 'all',
    row.name,
    row.licence.length > 28 ? `${row.licence.slice(0, 27)}…` : row.licence,
    row.entities,
    row.entities === 0 ? '' : row.synthetic ? 'sample' : 'official',
    row.freshness ?? '',
    row.asOf ?? '',
    formatMinute(row.checkedAt) ?? 'never',
    formatMinute(row.lastImport) ?? 'never',
    row.sourceUrl,
  ]);
  const notes = rows.flatMap(({ register, problem }) =>
    problem === null ? [] : [printable(`${register}: ${problem}`)],
  );
  return { rows, header: HEADER, cells, notes };
}

async function listUnknown(registry: Registry): Promise<Listing> {
  const rows = (await registry.listUnknownValues()).map(({ register, kind, column, value, rows, importedAt }) => ({
    register,
    kind,
    column,
    value,
    rows,
    lastImport: new Date(importedAt).toISOString(),
  }));
  const cells = rows.map((row) => [
    row.register,
    row.kind,
    printable(row.column),
    row.value === null ? '(other values)' : printable(row.value),
    row.rows,
    formatMinute(row.lastImport) ?? '',
  ]);
  return { rows, header: ['ID', 'KIND', 'COLUMN', 'VALUE', 'ROWS', 'LAST IMPORT'], cells };
}

const HEADER = [
  'ID',
  'COUNTRY',
  'REGISTER',
  'LICENCE',
  'ENTITIES',
  'DATA',
  'FRESH',
  'AS OF',
  'CHECKED',
  'LAST IMPORT',
  'SOURCE',
];

function formatTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function formatMinute(time: string | null): string | undefined {
  return time?.slice(0, 16).replace('T', ' ');
}
