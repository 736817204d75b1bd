/** One text, from the largest place to the house and the post code: `Jonavos r. sav., Rukla, Pušų g. 7-3, LT-55289`. */
import { compact } from '../parsing.ts';
import { type PlaceMarks, readPlaces, splitAddress } from '../settlements.ts';
import type { AddressOf } from '../vocabulary.ts';

const POST_CODE = /\bLT-\d{5}\b/;

/** A settlement has a mark (city `m.`, town `mstl.`, village `k.`, farmstead `vs.`) or is a name without dots and digits. */
const MARKS: PlaceMarks = {
  region: / apskr\.$/,
  municipality: / sav\.$/,
  district: / sen\.$/,
  settlement: /^(\p{Lu}.* (?:m|mstl|k|vs)\.)(?: \d.*)?$|^(?!.* (?:gatvė|prospektas|alėja|plentas)$)\p{Lu}[^.\d]*$/u,
};

export function readAddress(text: string): AddressOf | null {
  if (text === '') return null;
  const postCode = POST_CODE.exec(text)?.[0];
  const parts = splitAddress(text.replace(POST_CODE, '').replace(/ sav\. (?=\p{Lu})/u, ' sav., '));
  const { rest, ...places } = readPlaces(parts, MARKS);
  const street = places.city !== null && rest.length === 1 ? rest[0] : null;
  const isInLithuania = postCode !== undefined || places.municipality !== null;
  return { text, ...compact({ street, postCode, ...places, countryCode: isInLithuania ? 'LT' : null }) };
}
