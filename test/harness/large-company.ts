import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registers } from '../../src/registers/index.ts';
import { importFiles } from '../../src/registry/import.ts';
import { CODES, company, csv, establishment } from './br-files.ts';
import { untilSearchServes } from './entities.ts';
import type { TestService } from './service.ts';

/** Imports a Brazilian company with this many establishments besides its head office, and returns its id. */
export async function importLargeCompany(service: TestService, establishments: number): Promise<string> {
  const folder = mkdtempSync(join(service.database.dataDir, 'large-'));
  const orders = Array.from({ length: establishments + 1 }, (_, index) => String((index % 9_999) + 1).padStart(4, '0'));
  const files = {
    ...CODES,
    'X.ESTABELE': csv(...orders.map((order, index) => establishment(ROOT, order, { 4: `LOJA ${index}` }))),
    'X.EMPRECSV': csv(company(ROOT)),
  };
  const paths = Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
  const register = registers.find(({ id }) => id === 'br');
  if (register === undefined) throw new Error('there is no register br');
  const { registryDb } = service.services;
  await importFiles(registryDb, service.clock, { register, registers, paths, mode: 'partial' });
  await untilSearchServes(service);
  const found = await registryDb.one<{ id: string }>("SELECT id FROM entities WHERE register = 'br'");
  return found?.id ?? '';
}

const ROOT = '10000001';
