import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../src/base/clock.ts';
import { version } from '../src/base/config/config.ts';
import type { Db } from '../src/base/db/db.ts';
import { IN_RECORDS, listSetModes, type PartyModes } from '../src/base/party-modes.ts';
import { importFiles } from '../src/import/import.ts';
import type { Register } from '../src/registers/contract.ts';
import type { Registry } from '../src/registry/registry.ts';
import { generateFile, generateParties } from '../synthetic/generators.ts';
import { writeSynthetic } from '../synthetic/writers/write.ts';

/** The number of entities per register. */
const ROWS = 600;
const SEED = 1;

export interface SampleServices {
  readonly registryDb: Db;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly partyModes: PartyModes;
  /** Called before the sample of each register, with how many are complete. */
  readonly onSample?: (register: Register, done: number, total: number) => void;
}

/**
 * Imports generated companies into empty registers, through the same pipeline as official files. Returns the registers
 * it filled: none on the second start.
 */
export async function importSamples(services: SampleServices): Promise<string[]> {
  const { registryDb, registry, clock, dataDir, partyModes, onSample } = services;
  const states = await registry.listRegisters(clock.now());
  const registers = states.map(({ register }) => register);
  const empty = states.filter(({ entities }) => entities === 0).map(({ register }) => register);
  for (const [done, register] of empty.entries()) {
    onSample?.(register, done, empty.length);
    const paths = await writeSamples(register, partyModes, join(dataDir, 'samples', register.id));
    await importFiles(registryDb, clock, {
      register,
      registers,
      paths,
      parties: partyModes,
      mode: 'full',
      program: version,
    });
  }
  return empty.map(({ id }) => id);
}

/** The companies, and the parties that are not switched off. */
async function writeSamples(register: Register, partyModes: PartyModes, folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const modes = listSetModes(partyModes, register);
  const parties = Object.entries(generateParties(register, ROWS, SEED))
    .filter(([set]) => (modes[set] ?? modes[IN_RECORDS]) !== 'off')
    .map(([, file]) => file);
  const files = [generateFile(register, ROWS, SEED), ...parties];
  const paths: string[] = [];
  for (const file of files) paths.push(await writeSynthetic(folder, file));
  return paths;
}
