import { findCountryCode } from '../address.ts';
import { compact, joinFilled } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

/** `second` selects the columns of the first or of the second address of an establishment. */
export function readAddress(text: (field: string) => string | null, second: '' | '2'): AddressOf | null {
  const part = (field: string) => text(`${field}${second}`);
  const building = part('complementAdresse');
  const number = joinFilled([part('numeroVoie'), part('indiceRepetition')], ' ');
  const street = joinFilled([part('typeVoie'), part('libelleVoie')], ' ');
  const distribution = part('distributionSpeciale');
  const postCode = part('codePostal');
  const city = part('libelleCommune') ?? part('libelleCommuneEtranger');
  const [cedexCode, cedex] = [part('codeCedex'), part('libelleCedex')];
  const country = part('libellePaysEtranger');
  // Mail to a company with a CEDEX goes there instead of to its post code.
  const town = cedex === null ? joinFilled([postCode, city], ' ') : joinFilled([cedexCode, cedex], ' ');
  const written = joinFilled([building, joinFilled([number, street], ' '), distribution, town, country], ', ');
  if (written === '') return null;
  return {
    text: written,
    ...compact({ building, number, street, postCode, city, country }),
    ...compact({
      countryCode: findCountry(country, postCode),
      cityCode: part('codeCommune'),
      specialDistribution: distribution,
      cedexCode,
      cedex,
      countryInseeCode: part('codePaysEtranger'),
    }),
  };
}

/** Addresses abroad have a country. Codes from 98000 are those of Monaco and of territories in the Pacific. */
function findCountry(country: string | null, postCode: string | null): string | null {
  if (country !== null) return findCountryCode(country, ['fr']);
  return postCode !== null && !postCode.startsWith('98') ? 'FR' : null;
}
