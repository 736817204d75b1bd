import type { Cell } from '../contract.ts';

/** Replaces a value that the publisher may not disclose, such as the name of a person who asked for that. */
export const HIDDEN = '[ND]';

/** Hidden values read as empty, so that no parser takes them for data or reports them as errors. */
export function omitHidden(cell: Cell): Cell {
  return (column) => {
    const text = cell(column);
    return text.trim() === HIDDEN ? '' : text;
  };
}
