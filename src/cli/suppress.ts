import { isUuid } from '../base/ids.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { printable } from '../base/terminal/table.ts';
import { removeAll } from '../exports/folder.ts';
import { suppressParty } from '../import/removal/remove-persons.ts';
import { registers } from '../registers/index.ts';
import { deleteSuppressed, listSuppressed } from '../registry/parties/store.ts';
import { hashParty } from '../registry/records/withholding.ts';
import { open } from '../services/open.ts';
import type { Services } from '../services/services.ts';

export const command: Command = {
  arguments: '[entity-id]',
  options: {
    party: { type: 'string', description: 'Its number in the list of the command without options, or its id.' },
    reason: { type: 'string', description: 'A note for operators, such as a reference. Do not write the name.' },
    list: { type: 'boolean', description: 'List what was suppressed.' },
    undo: { type: 'boolean', description: 'Let the next import of the files (--again) store the party again.' },
  },
  help: `
Without options, lists the parties of a company. With --party, removes one of them from the parties and from the record of the company,
wherever its name is written there, and keeps it out of all later imports. The name is not stored: the id is a hash of the company and
the name. Other cells of the company that may name persons are withheld. Exports are deleted, because they have the name:
write new ones. Backups, and files that "firmament fetch" keeps, are not changed.`,
  examples: [
    ['suppress 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11', 'List the parties of a company.'],
    ['suppress 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11 --party 2 --reason "request 117"', 'Remove the second one.'],
    ['suppress --list', 'List what was suppressed.'],
  ],
  async run({ values, positionals: [id, ...others] }) {
    if (others.length > 0 || (id === undefined) !== (values.list === true))
      throw new UsageError('suppress takes the id of one company, or --list.');
    if (id !== undefined && !isUuid(id)) throw new CommandError(`"${id}" is not the id of a record: ids are UUIDs.`);
    await using opened = open();
    const { services, config } = opened;
    await services.requireSchema();
    if (id === undefined) return print(await describeList(services));
    const entityId = id.toLowerCase();
    const names = await listNames(services, entityId);
    if (typeof values.party !== 'string') return print(names.map((name, index) => describeName(entityId, name, index)));
    const party = findParty(entityId, names, values.party);
    if (values.undo) {
      if (!(await deleteSuppressed(services.registryDb, entityId, party)))
        throw new CommandError(`${party} is not suppressed: see "firmament suppress --list".`);
      return print(['Done. Import the files of the register with --again to have the party back.']);
    }
    const reason = typeof values.reason === 'string' ? values.reason : null;
    await suppressParty(services.registryDb, services.clock, registers, { entityId, party, reason });
    const exports = await removeAll(config.exports.folder);
    print([`Removed ${party}.${exports > 0 ? ' Exports were deleted: write new ones with "firmament export".' : ''}`]);
  },
};

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** The distinct names of the parties: first the names in rows of their own, then those in the record. */
async function listNames({ registry }: Services, id: string): Promise<string[]> {
  const found = await registry.findEntity(id);
  const listed = await registry.parties.list(id, {});
  if (found === undefined || listed === undefined) throw new CommandError(`There is no record with the id ${id}.`);
  const { data } = JSON.parse(String(found.content)) as { data: { registry: { parties?: { name: string }[] } } };
  const names = [...listed.parties, ...(data.registry.parties ?? [])].flatMap(({ name }) => name ?? []);
  return [...new Set(names)];
}

function describeName(entityId: string, name: string, index: number): string {
  return `${String(index + 1).padStart(4)}  ${hashParty(entityId, name)}  ${name}`;
}

function findParty(entityId: string, names: readonly string[], word: string): string {
  const name = /^\d{1,5}$/.test(word) ? names[Number(word) - 1] : undefined;
  const party = name === undefined ? word : hashParty(entityId, name);
  if (/^[\w-]{24}$/.test(party)) return party;
  throw new CommandError(`There is no party ${word}: run the command without --party to list them.`);
}

async function describeList({ registryDb }: Services): Promise<string[]> {
  const entries = await listSuppressed(registryDb);
  if (entries.length === 0) return ['Nothing is suppressed.'];
  return entries.map(({ entityId, party, register, company, reason, suppressedAt }) => {
    const day = new Date(suppressedAt).toISOString().slice(0, 10);
    return [day, entityId, party, `${register} ${company}`, reason ?? ''].join('  ').trimEnd();
  });
}
