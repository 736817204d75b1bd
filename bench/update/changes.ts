import { mkdirSync } from 'node:fs';
import { gb } from '../../src/registers/gb/register.ts';
import { type Chance, createChance } from '../../synthetic/chance.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { inventName } from '../search/entities.ts';

/*
 * Writes the files that `bench update` imports: parts of the British register, the largest one of the invented data. The
 * companies that change are generated in blocks, so that a change can take any block without generating those before it.
 */

/** A company to recognize a published change by. */
export interface Marker {
  readonly number: string;
  readonly name: string;
}

export interface ChangeFile {
  readonly path: string;
  /** The first row of the file. */
  readonly marker: Marker;
}

/** All companies of the first blocks, with the names that they have before any change. */
export function writeBlocks(folder: string, blocks: number, blockSize: number): Promise<ChangeFile> {
  return writeRows(folder, createChance(1), function* () {
    for (let block = 0; block < blocks; block++) yield* generateBlock(block, blockSize);
  });
}

/**
 * A change of `count` companies. Each edition is different: nine of ten rows are companies of the block with a new name,
 * some also with a new status; the others are new companies. Names are invented as in the base, so they spread over the
 * whole result order.
 */
export function writeChange(folder: string, edition: number, block: number, count: number): Promise<ChangeFile> {
  const added = Math.floor(count / 10);
  return writeRows(folder, createChance(1_000 + edition), function* () {
    for (const row of generateBlock(block, count - added)) {
      const isFifth = Number(row[NUMBER]?.slice(-4)) % 5 === 0;
      yield isFifth ? row.with(STATUS, edition % 2 === 0 ? 'Liquidation' : 'Active') : row;
    }
    yield* generateBlock(FIRST_NEW_BLOCK + edition, added);
  });
}

/** Blocks from here on are not in the base. */
const FIRST_NEW_BLOCK = 100_000;

async function writeRows(folder: string, chance: Chance, read: () => Iterable<readonly string[]>): Promise<ChangeFile> {
  mkdirSync(folder, { recursive: true });
  const file = generateFile(gb, 1, 1);
  if (file.content.type !== 'csv') throw new Error('the British register is one table');
  let marker: Marker | undefined;
  function* rename(): Generator<readonly string[]> {
    for (const row of read()) {
      const name = inventName('GB', chance);
      marker ??= { number: row[NUMBER] ?? '', name };
      yield row.with(NAME, name);
    }
  }
  const path = await writeSynthetic(folder, { ...file, content: { ...file.content, rows: rename() } });
  if (marker === undefined) throw new Error('a change needs at least one row');
  return { path, marker };
}

function generateBlock(block: number, count: number): Iterable<readonly string[]> {
  const { content } = generateFile(gb, count, block);
  return content.type === 'csv' ? content.rows : [];
}

const HEADER = (() => {
  const { content } = generateFile(gb, 1, 1);
  return content.type === 'csv' ? content.header.map((title) => title.trim()) : [];
})();
const NAME = HEADER.indexOf('CompanyName');
const NUMBER = HEADER.indexOf('CompanyNumber');
const STATUS = HEADER.indexOf('CompanyStatus');
