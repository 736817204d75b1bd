/** The addresses of an enterprise, an establishment or a branch, in Dutch and French. */
import type { Cell, MapContext } from '../contract.ts';
import { findCountryCode } from '../country-code.ts';
import { joinFilled, readDay, readText } from '../parsing.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';

/** The main address is one that is not struck off, preferably the seat. The others keep that order. */
export function describeAddresses(rows: readonly Cell[], context: MapContext<unknown>) {
  if (rows.length === 0) return { address: null, addresses: null };
  const [main, ...others] =
    rows.length === 1 ? rows : [...rows].sort((one, other) => rankAddress(one) - rankAddress(other));
  return {
    address: main === undefined ? null : describeAddress(main, context),
    addresses: others.flatMap((row): TypedAddressOf[] => {
      const address = describeAddress(row, context);
      return address === null ? [] : [{ type: chooseType(row), ...address }];
    }),
  };
}

/** 0 is the seat and 1 another address; 2 and 3 are the same but struck off. */
function rankAddress(row: Cell): number {
  return (row('TypeOfAddress').trim() === 'REGO' ? 0 : 1) + (row('DateStrikingOff').trim() === '' ? 0 : 2);
}

const TYPES: ReadonlyMap<string, TypedAddressOf['type']> = new Map([
  ['REGO', 'headquarters'],
  ['BAET', 'establishment'],
  ['OBAD', 'establishment'],
  ['ABBR', 'branch'],
]);

function chooseType(row: Cell): TypedAddressOf['type'] {
  if (row('DateStrikingOff').trim() !== '') return 'former';
  return TYPES.get(row('TypeOfAddress').trim()) ?? 'other';
}

/** Dutch texts, and French ones where they differ or the Dutch one is empty. An empty country means Belgium. */
function describeAddress(row: Cell, context: MapContext<unknown>): AddressOf | null {
  const [streetFr, cityFr, countryFr] = [row('StreetFR').trim(), row('MunicipalityFR').trim(), row('CountryFR').trim()];
  const street = row('StreetNL').trim() || streetFr;
  const city = row('MunicipalityNL').trim() || cityFr;
  const country = row('CountryNL').trim() || countryFr;
  const [number, unit, postCode] = [row('HouseNumber').trim(), row('Box').trim(), row('Zipcode').trim()];
  const details = row('ExtraAddressInfo').trim();
  const write = (street: string, city: string, country: string, box: string) => {
    const house = unit === '' ? number : `${number} ${box} ${unit}`;
    return joinFilled([joinFilled([street, house], ' '), details, joinFilled([postCode, city], ' '), country], ', ');
  };
  const isFrench = street === streetFr && isWalloon(postCode);
  const text = write(street, city, country, isFrench ? 'bte' : 'bus');
  if (text === '') return null;
  const textFr = write(streetFr || street, cityFr || city, countryFr || country, 'bte');
  const isTranslated = (streetFr !== '' && streetFr !== street) || (cityFr !== '' && cityFr !== city);
  const until = readDay('DateStrikingOff', row, context);
  const typeCode = readText(row('TypeOfAddress'));
  return {
    text,
    ...(isTranslated && { textFr }),
    ...(street !== '' && { street }),
    ...(streetFr !== '' && streetFr !== street && { streetFr }),
    ...(number !== '' && { number }),
    ...(unit !== '' && { unit }),
    ...(details !== '' && { details }),
    ...(postCode !== '' && { postCode }),
    ...(city !== '' && { city }),
    ...(cityFr !== '' && cityFr !== city && { cityFr }),
    ...(country === '' ? BELGIUM : { country, ...findAbroad(country, countryFr) }),
    ...(countryFr !== '' && countryFr !== country && { countryFr }),
    ...(typeCode !== null && { typeCode }),
    ...(until !== null && { until }),
  };
}

const BELGIUM = { countryCode: 'BE' };

/** The names are not those of a standard: `Duitsland (Bondsrep.)`. Where the Dutch one is not known, the French one may be. */
function findAbroad(country: string, countryFr: string): { countryCode?: string } {
  const countryCode = findCountryCode(country, LANGUAGES) ?? findCountryCode(countryFr, LANGUAGES);
  return countryCode === null ? {} : { countryCode };
}

const LANGUAGES = ['nl', 'fr', 'de'];

/** The provinces where addresses are in French: 1300 to 1499 and 4000 to 7999. */
function isWalloon(postCode: string): boolean {
  return /^(1[34]|[4-7]\d)\d\d$/.test(postCode);
}
