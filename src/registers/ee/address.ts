import {
  composeAddress,
  EUROPEAN_STYLE,
  findCountryCode,
  type PlaceMarks,
  readPlaces,
  splitAddress,
} from '../address.ts';
import { compact, readText } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';
import type { CompanyAddress } from './company.ts';

const ESTONIA = 'EST';
const LANGUAGES = ['et'];

const MARKS: PlaceMarks = { region: / maakond$/, municipality: / vald$/, district: / linnaosa$/, settlement: /./ };

/** The place goes from small to large: `Pirita linnaosa, Tallinn, Harju maakond`, `Türisalu küla, Harku vald`. */
export function readAddress(address: CompanyAddress): AddressOf | null {
  const { region, municipality, district, city } = readPlaces(splitAddress(address.place).reverse(), MARKS);
  const [alpha3, country] = [readText(address.countryAlpha3), readText(address.country)];
  // Only places in Estonia have a place code.
  const isEstonia = alpha3 === null ? address.placeCode.trim() !== '' : alpha3 === ESTONIA;
  const parts = { street: readText(address.street), postCode: readText(address.postCode), city, municipality, region };
  const composed = composeAddress({ ...parts, district, country: isEstonia ? null : country }, EUROPEAN_STYLE);
  const written = composeAddress(
    {
      ...parts,
      district,
      country,
      countryCode: isEstonia ? 'EE' : findCountryCode(country ?? '', LANGUAGES),
      text: readText(address.text) ?? composed?.text ?? readText(address.normalized),
    },
    EUROPEAN_STYLE,
  );
  if (written === null) return null;
  return {
    ...written,
    ...compact({
      normalized: readText(address.normalized),
      placeCode: readText(address.placeCode),
      addressId: readText(address.addressId),
      objectId: readText(address.objectId),
      countryAlpha3: alpha3,
    }),
  };
}
