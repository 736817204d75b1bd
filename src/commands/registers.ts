import type { Command } from '../terminal/command.ts';
import { renderTable } from '../terminal/table.ts';
import { open } from './open.ts';

export const registersCommand: Command = {
  name: 'registers',
  summary: 'List the registers: country, source, licence, number of entities, last import.',
  options: { json: { type: 'boolean', description: 'Print the list as JSON.' } },
  help: 'Lists every supported register: where to download its official file, how many rows are imported, and when.',
  async run({ values }) {
    const { services, close } = open();
    try {
      await services.requireSchema();
      const states = await services.registry.listRegisters();
      const rows = states.map(({ register, entities, importedAt }) => ({
        register: register.id,
        country: register.country,
        name: register.name,
        publisher: register.publisher,
        licence: register.licence,
        updates: register.updates,
        entities,
        lastImport: importedAt === null ? null : new Date(importedAt).toISOString(),
        sourceUrl: register.sourceUrl,
      }));
      if (values.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      else {
        const header = ['ID', 'COUNTRY', 'REGISTER', 'LICENCE', 'ENTITIES', 'LAST IMPORT', 'SOURCE'];
        const cells = rows.map((row) => [
          row.register,
          row.country ?? 'all',
          row.name,
          row.licence.length > 28 ? `${row.licence.slice(0, 27)}…` : row.licence,
          row.entities,
          row.lastImport?.slice(0, 16).replace('T', ' ') ?? 'never',
          row.sourceUrl,
        ]);
        process.stdout.write(renderTable(header, cells));
      }
    } finally {
      await close();
    }
  },
};
