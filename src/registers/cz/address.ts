/** Addresses of the state's register of addresses are in parts. Any other address is only a text (`TEXTADR`). */
import { composeAddress, EUROPEAN_STYLE } from '../address.ts';
import type { Cell } from '../contract.ts';
import { compact, joinFilled, readText } from '../parsing.ts';
import { type Codes, LISTS } from './codes.ts';

/** A number for buildings that are not permanent, such as weekend houses. It is not unique among house numbers. */
const REGISTRATION_NUMBER = '2';

export function readAddress(cell: Cell, codes: Codes) {
  const text = (column: string) => readText(cell(column));
  const label = (list: number, column: string) => codes.label(list, cell(column).trim());
  const [street, district, city] = [text('ULICE_TEXT'), text('COBCE_TEXT'), text('OBEC_TEXT')];
  const [postCode, region] = [text('PSC'), label(LISTS.district, 'OKRESLAU')];
  const number = joinFilled([cell('CDOM').trim(), cell('COR').trim()], '/');
  const written = number !== '' && cell('TYPCDOM').trim() === REGISTRATION_NUMBER ? `č. ev. ${number}` : number;
  // In a village without street names, the name of the village takes the place of the street.
  const road = street === null ? { street: district } : { street, district: district === city ? null : district };
  const composed = composeAddress({ ...road, number: written, postCode, city }, EUROPEAN_STYLE)?.text;
  const parts = { street, number, district, postCode, city, region };
  const countryCode = cell('OKRESLAU').startsWith('CZ') ? 'CZ' : null;
  const address = composeAddress({ ...parts, text: text('TEXTADR') ?? composed ?? null, countryCode }, EUROPEAN_STYLE);
  if (address === null) return null;
  return {
    ...address,
    ...compact({
      houseNumberType: label(LISTS.houseNumberType, 'TYPCDOM') ?? text('TYPCDOM'),
      addressPointCode: text('KODADM'),
      regionCode: text('OKRESLAU'),
      municipality: label(LISTS.municipality, 'ICZUJ'),
      municipalityCode: text('ICZUJ'),
    }),
  };
}
