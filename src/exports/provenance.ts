interface Provenance extends Readonly<Record<string, unknown>> {
  row: number;
  readonly files?: readonly { readonly rows?: readonly Range[] }[] | null;
}

interface Range {
  first: number;
  last: number;
}

/** A provenance, split into the texts around its row number, so that provenances that differ only in this number are recognized. */
interface Pattern {
  readonly value: Provenance;
  readonly range: Range;
  readonly start: string;
  readonly middle: string;
  readonly end: string;
}

/**
 * Reads the provenance of records, one after the other; a result is valid until the next call. Most records come from one row of a file and differ
 * only in its number: they are compared with the previous provenance instead of being parsed.
 */
export function createProvenanceReader(): (text: string) => Provenance | null {
  let pattern: Pattern | undefined;
  return (text) => {
    if (pattern !== undefined) {
      const { value, range, start, middle, end } = pattern;
      const row = text.slice(start.length, text.indexOf(',', start.length));
      if (text === `${start}${row}${middle}${row}${LAST}${row}${end}`) {
        value.row = range.first = range.last = Number(row);
        return value;
      }
    }
    const value: Provenance | null = JSON.parse(text);
    pattern = findPattern(text, value) ?? pattern;
    return value;
  };
}

/** Keys as `registry/records/provenance.ts` writes them. No value contains these texts, because quotes in values are escaped. */
const [ROW, FIRST, LAST] = ['"row":', '"rows":[{"first":', ',"last":'];

function findPattern(text: string, value: Provenance | null): Pattern | undefined {
  const range = value?.files?.[0]?.rows?.[0];
  if (value === null || range === undefined || range.first !== value.row || range.last !== value.row) return undefined;
  const { length } = String(value.row);
  const row = text.indexOf(ROW) + ROW.length;
  const first = text.indexOf(FIRST, row) + FIRST.length;
  return {
    value,
    range,
    start: text.slice(0, row),
    middle: text.slice(row + length, first),
    end: text.slice(first + length + LAST.length + length),
  };
}
