/** Files with one table of a register, whose columns are those of its `cells.tsv`. */
import { listColumns } from '../src/registers/contract.ts';
import { type Chance, type CsvFormat, createChance, createSerials, makeCsv } from './chance.ts';
import type { SyntheticFile } from './file.ts';

interface TableFile {
  readonly register: string;
  readonly table: string;
  readonly name: string;
  readonly packing?: SyntheticFile['packing'];
  readonly format: CsvFormat;
  /** False if the file has no header. */
  readonly header?: false;
  /** Digits of the serial that each row gets. */
  readonly digits: number;
}

/** The cells of a row, by column. Those that are left out are empty. */
export type MadeRow = Readonly<Record<string, string>>;

type MakeRow = (chance: Chance, serial: string, index: number) => MadeRow;

export function tableGenerator(file: TableFile, makeRow: MakeRow): (rows: number, seed: number) => SyntheticFile {
  const { register, table, name, packing = 'none', format, header, digits } = file;
  const columns = listColumns(register, table);
  function* makeRows(rows: number, seed: number): Generator<readonly string[]> {
    const chance = createChance(seed);
    const takeSerial = createSerials(chance, digits);
    for (let index = 0; index < rows; index++) {
      const made = makeRow(chance, takeSerial(), index);
      yield columns.map((column) => made[column] ?? '');
    }
  }
  return (rows, seed) => ({
    name,
    packing,
    content: makeCsv(format, header === false ? [] : columns, () => makeRows(rows, seed)),
  });
}
