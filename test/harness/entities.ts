import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { type GbRow, writeGb } from '../registry/gb-file.ts';
import type { TestService } from './service.ts';
import { until } from './until.ts';

/** Imports British companies and waits until search finds them. */
export async function importCompanies(service: TestService, rows: readonly GbRow[], header?: string): Promise<void> {
  await importInto(service, 'gb', writeGb(folderOf(service), 'companies.csv', rows, header), { mode: 'partial' });
}

/** Imports generated companies of a register and waits until search finds them. */
export async function importSynthetic(service: TestService, id: string, rows: number): Promise<void> {
  const path = await writeSynthetic(folderOf(service), generateFile(findRegister(id), rows, 1));
  await importInto(service, id, path, {});
}

/** Imports generated companies of every register, or of these, then waits for search once. */
export async function importSyntheticAll(service: TestService, rows: number, ids?: readonly string[]): Promise<void> {
  for (const register of registers.filter(({ id }) => ids?.includes(id) ?? true)) {
    const path = await writeSynthetic(folderOf(service), generateFile(register, rows, 1));
    const { registryDb } = service.services;
    await importFiles(registryDb, service.clock, { register, registers, paths: [path] });
  }
  await untilSearchServes(service);
}

async function importInto(service: TestService, id: string, path: string, how: Partial<ImportOptions>): Promise<void> {
  const options = { register: findRegister(id), registers, paths: [path], ...how };
  await importFiles(service.services.registryDb, service.clock, options);
  await untilSearchServes(service);
}

/** Waits until search serves the latest import. A running server notices an import with a short delay. */
export async function untilSearchServes({ services }: TestService): Promise<void> {
  const { search, registry } = services;
  const wanted = await registry.version();
  await search.refresh();
  await until(`search serves version ${wanted}`, async () => search.isReady() && (await search.version()) === wanted);
}

function findRegister(id: string): (typeof registers)[0] {
  const register = registers.find((candidate) => candidate.id === id);
  if (register === undefined) throw new Error(`there is no register ${id}`);
  return register;
}

function folderOf({ database }: TestService): string {
  return mkdtempSync(join(database.dataDir, 'in-'));
}
