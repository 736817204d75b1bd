import type { Command } from '../base/terminal/command.ts';
import { cutText, print, printable, printableJson, renderTable } from '../base/terminal/table.ts';
import type { RegisterState, Registry } from '../registry/registry.ts';
import { open } from '../services/open.ts';

export const command: Command = {
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
    if (values.unknown) return await showUnknown(registry, values.json === true);
    const rows = (await registry.listRegisters(clock.now())).map(describeRegister);
    if (values.json) return print(printableJson(rows));
    print(renderColumns(rows, REGISTER_COLUMNS));
    for (const { register, problem } of rows) if (problem !== null) print(printable(`${register}: ${problem}`) + '\n');
  },
};

type Columns<Row> = Readonly<Record<string, (row: Row) => string | number>>;

function renderColumns<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((show) => show(row)));
  return renderTable(Object.keys(columns), cells, { omit: ['SOURCE', 'LICENCE', 'COUNTRY', 'LAST IMPORT', 'CHECKED'] });
}

const REGISTER_COLUMNS: Columns<ReturnType<typeof describeRegister>> = {
  ID: ({ register }) => register,
  COUNTRY: ({ country }) => country ?? 'all',
  REGISTER: ({ name }) => cutText(name, 24),
  LICENCE: ({ licence }) => cutText(licence, 28),
  ENTITIES: ({ entities }) => entities,
  DATA: ({ entities, synthetic }) => (entities === 0 ? '' : synthetic ? 'sample' : 'official'),
  FRESH: ({ freshness }) => freshness ?? '',
  'AS OF': ({ asOf }) => asOf ?? '',
  CHECKED: ({ checkedAt }) => formatMinute(checkedAt),
  'LAST IMPORT': ({ lastImport }) => formatMinute(lastImport),
  SOURCE: ({ sourceUrl }) => sourceUrl,
};

function describeRegister({ register, ...state }: RegisterState) {
  return {
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
  };
}

const NOTHING_UNKNOWN =
  'There are no unknown values: the registers know every status, legal form and activity of the imported files.\n';

async function showUnknown(registry: Registry, json: boolean): Promise<void> {
  const rows = (await registry.listUnknownValues()).map(({ register, kind, column, value, rows, importedAt }) => {
    return { register, kind, column, value, rows, lastImport: formatTime(importedAt) };
  });
  if (json) return print(printableJson(rows));
  if (rows.length === 0) return print(NOTHING_UNKNOWN);
  const columns: Columns<(typeof rows)[number]> = {
    ID: ({ register }) => register,
    KIND: ({ kind }) => kind,
    COLUMN: ({ column }) => printable(column),
    VALUE: ({ value }) => (value === null ? '(other values)' : cutText(printable(value), 40)),
    ROWS: ({ rows }) => rows,
    'LAST IMPORT': ({ lastImport }) => formatMinute(lastImport),
  };
  print(renderColumns(rows, columns));
}

function formatTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function formatMinute(time: string | null): string {
  return time?.slice(0, 16).replace('T', ' ') ?? 'never';
}
