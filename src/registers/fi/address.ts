import { findCountryCode } from '../address.ts';
import type { MapContext } from '../contract.ts';
import { compact, joinFilled, readDayOf, type Tree, textOf, treesOf } from '../parsing.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';
import { LANGUAGES } from './descriptions.ts';

type Context = MapContext<null>;

const VISITING = '1';
const POSTAL = '2';

/** The address of the company is the visiting one, or else the postal one, with the type `postal`. */
export function readAddresses(record: Tree, context: Context) {
  const addresses = treesOf(record, 'addresses');
  const visiting = addresses.find((address) => textOf(address, 'type') === VISITING);
  const main = visiting ?? addresses.find((address) => textOf(address, 'type') === POSTAL);
  const address = main === undefined ? null : readAddress(main, context);
  const others = addresses.filter((other) => other !== main).map((other) => readTyped(other, context));
  return {
    address: address === null ? null : main === visiting ? address : { ...address, type: 'postal' },
    addresses: others.filter((other) => other !== null),
  };
}

function readTyped(address: Tree, context: Context): TypedAddressOf | null {
  const parts = readAddress(address, context);
  return parts === null ? null : { type: textOf(address, 'type') === POSTAL ? 'postal' : 'other', ...parts };
}

function readAddress(address: Tree, context: Context): AddressOf | null {
  const offices = treesOf(address, 'postOffices');
  const office = offices.find((candidate) => textOf(candidate, 'languageCode') === LANGUAGES.fi) ?? offices[0] ?? {};
  const swedish = offices.find((candidate) => textOf(candidate, 'languageCode') === LANGUAGES.sv) ?? {};
  const apartment = `${textOf(address, 'apartmentNumber')}${textOf(address, 'apartmentIdSuffix')}`;
  const parts = {
    careOf: textOf(address, 'co').replace(/^c\/o\s+/i, ''),
    poBox: textOf(address, 'postOfficeBox'),
    street: textOf(address, 'street'),
    number: textOf(address, 'buildingNumber'),
    unit: joinFilled([textOf(address, 'entrance'), apartment], ' '),
    postCode: textOf(address, 'postCode'),
    city: textOf(office, 'city'),
  };
  const line = textOf(address, 'freeAddressLine');
  const country = textOf(address, 'country');
  const text = joinFilled(
    [
      parts.careOf && `c/o ${parts.careOf}`,
      joinFilled([parts.street, parts.number, parts.unit], ' '),
      line,
      // Postilokero
      parts.poBox && `PL ${parts.poBox}`,
      joinFilled([parts.postCode, parts.city], ' '),
      country,
    ],
    ', ',
  );
  if (text === '') return null;
  const more = {
    lines: line === '' ? [] : [line],
    ...readCountry(country, parts.postCode),
    citySwedish: textOf(swedish, 'city'),
    municipalityCode: textOf(office, 'municipalityCode'),
    from: readDayOf(address, 'registrationDate', context),
  };
  return { text, ...compact(parts), ...compact(more) };
}

const COUNTRY_LANGUAGES = ['fi', 'sv', 'en'];

/** Only addresses abroad name their country. */
function readCountry(country: string, postCode: string) {
  if (/^[A-Z]{2}$/.test(country)) return { countryCode: country };
  if (country === '') return /^\d{5}$/.test(postCode) ? { countryCode: 'FI' } : {};
  return { country, countryCode: findCountryCode(country, COUNTRY_LANGUAGES) };
}
