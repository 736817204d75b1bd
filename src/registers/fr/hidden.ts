import type { Cell } from '../contract.ts';

/** What the files write for a value that may not be shown: the name of a person who asked for it, a street, a date. */
export const HIDDEN = '[ND]';

/** None of the readings sees it: to them such a value is not there. */
export function omitHidden(cell: Cell): Cell {
  return (column) => {
    const text = cell(column);
    return text.trim() === HIDDEN ? '' : text;
  };
}
