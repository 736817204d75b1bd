import type { PartyMode } from '../../core/party-modes.ts';
import type { Json } from '../../core/source-files.ts';
import type { Batches, SourceRow } from '../../formats/rows.ts';
import { type Applies, createCellHider, createTreeHider, isRecord } from '../../records/withheld.ts';
import type { Cell, PartyRows, Withheld } from '../../registers/contract.ts';
import { isTable, type Part } from '../reading/part.ts';

/** The part with one row for each party, and without what is not stored: nothing that comes after can see it. */
export function splitRows(part: Part, mode: PartyMode): Part {
  const { split, withheld } = part.source.parties as Omit<PartyRows<unknown, unknown>, 'map'>;
  if (split === undefined && withheld === undefined) return part;
  const applies: Applies = (reason) => reason !== 'natural persons' || mode !== 'names';
  if (isTable(part)) {
    const hide = createCellHider(part.header.texts, part.source, (withheld ?? {}) as Withheld<Cell>, applies);
    const { place } = part.header;
    const change = (cells: readonly string[], at: number) => [at <= place ? cells : hide(cells)];
    return { ...part, read: (...args) => changeRows(part.read(...args), change) };
  }
  const hide = createTreeHider(withheld ?? {}, applies);
  const change = (value: Json) => {
    const rows = isRecord(value) && split !== undefined ? (split(value) as readonly Json[]) : [value];
    return rows.map(hide);
  };
  return { ...part, read: (...args) => changeRows(part.read(...args), change) };
}

async function* changeRows<T>(batches: Batches<T>, change: (value: T, place: number) => readonly T[]): Batches<T> {
  for await (const batch of batches) {
    const rows: SourceRow<T>[] = [];
    for (const row of batch) {
      const { place, size } = row;
      const values = change(row.value, place);
      for (const [index, value] of values.entries()) {
        rows.push({ place, value, size: size / values.length, problem: index === 0 ? row.problem : undefined });
      }
    }
    yield rows;
  }
}
