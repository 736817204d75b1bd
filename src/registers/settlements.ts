/**
 * One rule for registers that write the places of an address one after the other: the settlement (city, town or village)
 * is the `city`, and the municipality or administrative district that it belongs to is the `municipality`.
 */

/** How a register marks each kind of place, such as `Harku vald`. A group in a pattern is the name without the mark. */
export interface PlaceMarks {
  /** A county or another area of several municipalities. */
  readonly region?: RegExp;
  readonly municipality: RegExp;
  /** A part of a city or of a municipality. */
  readonly district: RegExp;
  /** Tried last, so it may match names without a mark. */
  readonly settlement: RegExp;
}

export interface Places {
  readonly region: string | null;
  readonly municipality: string | null;
  readonly district: string | null;
  readonly city: string | null;
  /** The parts after the places: street and house. */
  readonly rest: readonly string[];
}

/** Takes the parts of an address, from the largest place to the smallest, and reads those that are places. */
export function readPlaces(parts: readonly string[], marks: PlaceMarks): Places {
  const places = { region: NONE, municipality: NONE, district: NONE, city: NONE };
  let read = 0;
  for (const part of parts) {
    const kind = AREAS.find((area) => marks[area]?.test(part));
    if (kind !== undefined) places[kind] = findName(part, marks[kind]);
    else {
      const isPlace = marks.settlement.test(part) && !(places.city !== null && isHouse(parts[read + 1]));
      if (!isPlace) break;
      // A settlement inside another one: `mun. Chişinău, com. Bubuieci, s. Bîc`.
      if (places.municipality === null) places.municipality = places.city;
      else places.district ??= places.city;
      places.city = findName(part, marks.settlement);
    }
    read++;
  }
  if (places.municipality === places.city) places.municipality = null;
  return { ...places, rest: parts.slice(read) };
}

const NONE: string | null = null;
const AREAS = ['region', 'municipality', 'district'] as const;

function findName(part: string, mark: RegExp | undefined): string {
  return mark?.exec(part)?.[1] ?? part;
}

/** A name that a house number follows is a street: `Chişinău, Columna, 5`. */
function isHouse(part: string | undefined): boolean {
  return part !== undefined && /^\d/.test(part);
}

/** The parts of an address between commas, without empty ones. */
export function splitAddress(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
