/** Writes the one-line `text` of an address from its parts, in the order of the country. */
import { compact } from './parsing.ts';
import type { AddressOf } from './vocabulary.ts';

interface AddressStyle {
  /** `1 High Street`, not `Hauptstraße 1`. */
  readonly numberFirst: boolean;
  /** `75001 Paris`, not `London SW1A 1AA`. */
  readonly postCodeFirst: boolean;
}

/** Great Britain, Ireland, Australia, Canada, Singapore. */
export const ENGLISH_STYLE: AddressStyle = { numberFirst: true, postCodeFirst: false };
/** Most of Europe. */
export const EUROPEAN_STYLE: AddressStyle = { numberFirst: false, postCodeFirst: true };

type AddressPart =
  | 'careOf'
  | 'poBox'
  | 'building'
  | 'street'
  | 'number'
  | 'unit'
  | 'district'
  | 'postCode'
  | 'city'
  | 'municipality'
  | 'region'
  | 'country'
  | 'countryCode';

/** The parts that the source has, trimmed; null, '' or missing where it has none. */
export type AddressParts = { readonly [Name in AddressPart]?: string | null } & {
  /** The complete address, if the source writes it itself. */
  readonly text?: string | null;
  readonly lines?: readonly string[];
};

/**
 * The address with its `text`, without empty parts. Null if the source has no address. A lone `countryCode` is not an
 * address, because some registers fill it in every row.
 */
export function composeAddress(parts: AddressParts, style: AddressStyle): AddressOf | null {
  const text = parts.text || joinParts(parts, style);
  return text === '' ? null : { text, ...compact({ ...parts, text: null }) };
}

function joinParts(parts: AddressParts, { numberFirst, postCodeFirst }: AddressStyle): string {
  const { careOf, poBox, building, street, number, unit, district, postCode, city, municipality, region, country } =
    parts;
  const named = [careOf && `c/o ${careOf}`, poBox && `PO Box ${poBox}`, building];
  const road = joinTexts(numberFirst ? [number, street] : [street, number], ' ');
  const town = joinTexts(postCodeFirst ? [postCode, city] : [city, region, postCode], ' ');
  const area = postCodeFirst ? region : null;
  return joinTexts([...named, ...(parts.lines ?? []), road, unit, district, town, municipality, area, country], ', ');
}

/** Leaves out empty texts and a text that repeats the one before it. */
function joinTexts(texts: readonly (string | null | undefined)[], separator: string): string {
  const filled = texts.filter((text) => text !== null && text !== undefined && text !== '');
  return filled.filter((text, index) => text !== filled[index - 1]).join(separator);
}
