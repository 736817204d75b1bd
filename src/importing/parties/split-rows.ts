import type { PartyMode } from '../../core/party-modes.ts';
import type { Json } from '../../core/source-files.ts';
import { type Applies, createCellHider, createTreeHider, isRecord } from '../../records/withheld.ts';
import type { Cell, PartyRows, Withheld } from '../../registers/contract.ts';
import { isTable, type Part } from '../reading/part.ts';

/** Makes one row for each party of a row of the part, without what is not stored: nothing that comes after can see it. */
export function createSplit(part: Part, mode: PartyMode): (row: never, place: number) => readonly unknown[] {
  const { split, withheld } = part.source.parties as Omit<PartyRows<unknown, unknown>, 'map'>;
  const applies: Applies = (reason) => reason !== 'natural persons' || mode !== 'names';
  if (isTable(part)) {
    const hide = createCellHider(part.header.texts, part.source, (withheld ?? {}) as Withheld<Cell>, applies);
    return (cells: readonly string[], place) => [place <= part.header.place ? cells : hide(cells)];
  }
  const hide = createTreeHider(withheld ?? {}, applies);
  return (value: Json) =>
    (isRecord(value) && split !== undefined ? (split(value) as readonly Json[]) : [value]).map(hide);
}
