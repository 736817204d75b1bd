/** The address: a text without the post code, the post code, and codes of the national address register. */
import type { Cell, MapContext } from '../contract.ts';
import { compact, joinFilled, readText } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

const POST_CODE = /^(?:LV-)?(\d{4})$/;

export function readAddress(cell: Cell, context: MapContext<null>): AddressOf | null {
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
  return {
    text,
    ...compact({ ...readPlace(written ?? '', codes.cityCode !== null), postCode }),
    ...(isInLatvia && { countryCode: 'LV' }),
    ...compact(codes),
  };
}

/**
 * `Rīga, Latgales iela 180`, `Valmieras nov., Valmiera, Skolas iela 1` or `Talsu nov., Lībagu pag., "Ozoli"`: a
 * municipality (`nov.`) is followed by a city or by a parish (`pag.`).
 */
function readPlace(address: string, hasCity: boolean) {
  const [first = '', second = ''] = address.split(',').map((part) => part.trim());
  const region = first.endsWith(' nov.') ? first : null;
  const place = region === null ? first : second;
  const district = place.endsWith(' pag.') ? place : null;
  return { district, city: hasCity && district === null ? place : null, region };
}

/** `1019` → `LV-1019`. */
function readPostCode(cell: Cell, context: MapContext<null>): string | null {
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
