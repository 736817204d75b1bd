import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { nameUuid } from '../../src/base/ids.ts';
import { DEFAULT_PARTY_MODES } from '../../src/base/party-modes.ts';
import { importFiles } from '../../src/import/import.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { createParties } from '../../src/registry/parties/parties.ts';
import { MAX_NODES } from '../../src/registry/parties/walk.ts';
import type { BenchOptions } from '../reporting.ts';

/** Owners of a company with as many companies above it as an answer can have, in nine levels. */
export interface PartyFigures {
  readonly nodes: number;
  readonly links: number;
  readonly bytes: number;
  readonly answers: number;
  /** Milliseconds per answer, sorted: processor time of the process, and time by the clock. */
  readonly cpu: readonly number[];
  readonly wall: readonly number[];
}

const LEVELS = 9;
const PER_LEVEL = Math.floor((MAX_NODES - 1) / LEVELS);
/** Others, among which the companies are found. */
const OTHERS = 2_000;

interface PartyBenchOptions extends BenchOptions {
  readonly answers: number;
}

export async function benchParties(options: PartyBenchOptions): Promise<PartyFigures> {
  const dataDir = join(options.cache, 'parties');
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true });
  const paths = Object.entries(writeFiles()).map(([name, text]) => {
    writeFileSync(join(dataDir, name), text);
    return join(dataDir, name);
  });
  const db = openStore('registry', { dataDir, databaseUrl: undefined });
  try {
    return await measure(db, paths, options);
  } finally {
    await db.close();
  }
}

async function measure(db: Db, paths: readonly string[], options: PartyBenchOptions): Promise<PartyFigures> {
  const { onStep, signal, answers } = options;
  onStep('importing');
  await migrate(db, loadMigrations('registry'), systemClock);
  await importFiles(db, systemClock, { register: gleif, registers, paths });
  const parties = createParties(db, registers, DEFAULT_PARTY_MODES);
  const id = nameUuid(`DE/gleif/${lei(0, 0)}`);
  const ask = async () => {
    const found = await parties.walk(id, 'owners', 10);
    if (found === undefined) throw new Error('the store has no such company');
    return { found, body: JSON.stringify(found) };
  };
  onStep(`${answers} answers`);
  const cpu: number[] = [];
  const wall: number[] = [];
  for (let at = -50; at < answers; at++) {
    signal.throwIfAborted();
    const [before, started] = [process.cpuUsage(), performance.now()];
    await ask();
    const { user, system } = process.cpuUsage(before);
    if (at < 0) continue;
    cpu.push((user + system) / 1_000);
    wall.push(performance.now() - started);
  }
  const { found, body } = await ask();
  const sort = (times: readonly number[]) => times.toSorted((a, b) => a - b);
  const sizes = { nodes: found.nodes.length, links: found.links.length, bytes: Buffer.byteLength(body) };
  return { ...sizes, answers, cpu: sort(cpu), wall: sort(wall) };
}

function lei(level: number, index: number): string {
  return `BENCH${level}${String(index).padStart(12, '0')}00`;
}

/** Each company has two parents in the next level, and the first company has all of the first level. */
function writeFiles(): Readonly<Record<string, string>> {
  const companies: string[] = [];
  const links: string[] = [];
  const exceptions: string[] = [];
  const add = (level: number, index: number) =>
    companies.push(`${lei(level, index)},Company ${level} ${index},DE,ACTIVE`);
  const link = (child: string, parent: string) =>
    links.push(`${child},LEI,${parent},LEI,IS_DIRECTLY_CONSOLIDATED_BY,ACTIVE,PUBLISHED`);
  add(0, 0);
  for (let index = 0; index < PER_LEVEL; index++) {
    link(lei(0, 0), lei(1, index));
    for (let level = 1; level <= LEVELS; level++) {
      add(level, index);
      if (level === LEVELS)
        exceptions.push(`${lei(level, index)},DIRECT_ACCOUNTING_CONSOLIDATION_PARENT,NATURAL_PERSONS`);
      else for (const other of [index, (index + 1) % PER_LEVEL]) link(lei(level, index), lei(level + 1, other));
    }
  }
  for (let index = 1; index <= OTHERS; index++) add(0, index);
  const relation = 'Relationship.';
  const nodes = ['StartNode', 'EndNode'].flatMap((node) => [
    `${relation}${node}.NodeID`,
    `${relation}${node}.NodeIDType`,
  ]);
  const header = [
    ...nodes,
    `${relation}RelationshipType`,
    `${relation}RelationshipStatus`,
    'Registration.RegistrationStatus',
  ];
  return {
    'lei2.csv': joinLines('LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus', companies),
    'rr.csv': joinLines(header.join(','), links),
    'repex.csv': joinLines('LEI,Exception.Category,Exception.Reason.1', exceptions),
  };
}

function joinLines(header: string, rows: readonly string[]): string {
  return [header, ...rows, ''].join('\n');
}
