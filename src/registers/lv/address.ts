/** The address: a text without the post code, the post code, and codes of the national address register. */
import type { Cell, MapContext } from '../contract.ts';
import { compact, joinFilled, readText } from '../parsing.ts';
import { type PlaceMarks, readPlaces, splitAddress } from '../settlements.ts';
import type { AddressOf } from '../vocabulary.ts';

const POST_CODE = /^(?:LV-)?(\d{4})$/;

export function readAddress(cell: Cell, context: MapContext<unknown>): AddressOf | null {
  const written = readText(cell('address'));
  const postCode = readPostCode(cell, context);
  const text = readText(joinFilled([written, postCode], ', '));
  if (text === null) return null;
  const codes = {
    addressCode: readCode(cell('addressid')),
    regionCode: readCode(cell('region')),
    cityCode: readCode(cell('city')),
    territoryCode: readCode(cell('atvk')),
  };
  const isInLatvia = postCode !== null || codes.addressCode !== null;
  // The order of the places in an address abroad is not known.
  const { district, city, municipality } = readPlaces(isInLatvia ? splitAddress(written ?? '') : [], MARKS);
  return {
    text,
    // A farm outside of a village belongs to its parish.
    ...compact({ district, city: city ?? district, municipality, postCode }),
    ...(isInLatvia && { countryCode: 'LV' }),
    ...compact(codes),
  };
}

/** `Rīga, Latgales iela 180` or `Talsu nov., Lībagu pag., "Ozoli"` (a farm). Before 2009 with districts (`rajons`). */
const MARKS: PlaceMarks = {
  municipality: / (?:nov\.|novads|raj\.|rajons)$/,
  district: / (?:pag\.|pagasts)$/,
  settlement: /^(?!.* (?:aleja|bulvāris|ceļš|dambis|gatve|iela|laukums|līnija|prospekts|šoseja|taka)\b)\p{Lu}\D*$/u,
};

/** `1019` → `LV-1019`. */
function readPostCode(cell: Cell, context: MapContext<unknown>): string | null {
  const text = readCode(cell('index'));
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  if (digits === undefined) context.report('index', text, 'not a postcode');
  return digits === undefined ? null : `LV-${digits}`;
}

/** In the columns that refer to the address register, `0` means that there is no code. */
function readCode(text: string): string | null {
  const code = text.trim();
  return code === '' || code === '0' ? null : code;
}
