import type { Registry } from '../registry/registry.ts';
import type { Command } from '../terminal/command.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { renderTable } from '../terminal/table.ts';
import { open } from './open.ts';

export const registersCommand: Command = {
  name: 'registers',
  summary: 'List the registers: country, source, licence, number of entities, last import.',
  options: {
    unknown: {
      type: 'boolean',
      description:
        'List the statuses, legal forms and activities in the imported files that the registers do not know.',
    },
    json: { type: 'boolean', description: 'Print the list as JSON.' },
  },
  help: `
Lists every supported register: where to download its official file, how many companies are imported, and when. "sample"
marks synthetic data. With --unknown it lists the values whose meaning is unknown, of the latest full import of each
register and of the imports after it.`,
  async run({ values }) {
    const { services, close } = open();
    try {
      await services.requireSchema();
      const { rows, header, cells } = values.unknown
        ? await listUnknown(services.registry)
        : await listRegisters(services.registry);
      process.stdout.write(values.json ? printableJson(rows) : renderTable(header, cells));
    } finally {
      await close();
    }
  },
};

/** A list as JSON and as a table. */
interface Listing {
  readonly rows: readonly object[];
  readonly header: readonly string[];
  readonly cells: readonly (readonly (string | number)[])[];
}

async function listRegisters(registry: Registry): Promise<Listing> {
  const rows = (await registry.listRegisters()).map(({ register, entities, importedAt, synthetic }) => ({
    register: register.id,
    country: register.country,
    name: register.name,
    publisher: register.publisher,
    licence: register.licence,
    updates: register.updates,
    entities,
    synthetic,
    lastImport: importedAt === null ? null : new Date(importedAt).toISOString(),
    sourceUrl: register.sourceUrl,
  }));
  const cells = rows.map((row) => [
    row.register,
    row.country ?? 'all',
    row.name,
    row.licence.length > 28 ? `${row.licence.slice(0, 27)}…` : row.licence,
    row.entities,
    row.entities === 0 ? '' : row.synthetic ? 'sample' : 'official',
    formatMinute(row.lastImport) ?? 'never',
    row.sourceUrl,
  ]);
  return { rows, header: ['ID', 'COUNTRY', 'REGISTER', 'LICENCE', 'ENTITIES', 'DATA', 'LAST IMPORT', 'SOURCE'], cells };
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

function formatMinute(time: string | null): string | undefined {
  return time?.slice(0, 16).replace('T', ' ');
}
