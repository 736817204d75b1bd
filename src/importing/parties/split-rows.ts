import type { PartyMode } from '../../core/party-modes.ts';
import type { Json } from '../../core/source-files.ts';
import { createCellHider, createTreeHider, isRecord } from '../../records/withheld.ts';
import type { Cell, PartyRows, Withheld } from '../../registers/contract.ts';
import { isTable, type Part } from '../reading/part.ts';

/** Makes one row for each party of a row of the part, without what is not stored: nothing that comes after can see it. */
export function createSplit(part: Part, mode: PartyMode): (row: never, place: number) => readonly unknown[] {
  const { split, withheld } = part.source.parties as Omit<PartyRows<unknown, unknown>, 'map'>;
  const hidden = mode === 'names' ? {} : (withheld ?? {});
  if (isTable(part)) {
    const hide = createCellHider(part.header.texts, part.source, hidden as Withheld<Cell>);
    return (cells: readonly string[], place) => [place <= part.header.place ? cells : hide(cells)];
  }
  const hide = createTreeHider(hidden);
  return (value: Json) =>
    (isRecord(value) && split !== undefined ? (split(value) as readonly Json[]) : [value]).map(hide);
}
