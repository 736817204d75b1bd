import { findCountryCode } from '../address.ts';
import type { Cell } from '../contract.ts';
import { compact, joinFilled } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';
import { type Context, LANGUAGES, lookUpLabel } from './cells.ts';

/** The state and the city of an establishment abroad. */
const ABROAD = 'EX';
const NO_CITY = '9707';
const BRAZIL = '105';

/** `RUA JOSE LEITE, 401, APT 22, CENTRO, LAURO DE FREITAS - BA, 42722-020`. */
export function readAddress(row: Cell, context: Context): AddressOf | null {
  const state = row('uf').trim();
  const isAbroad = state === ABROAD;
  const countryNumber = row('pais').trim();
  const country = countryNumber === '' ? null : lookUpLabel('paises', countryNumber, context);
  const streetType = readWords(row('tipo_logradouro'));
  const name = readWords(row('logradouro'));
  const street = streetType === '' || name.startsWith(`${streetType} `) ? name : `${streetType} ${name}`.trim();
  const number = readZeros(row('numero'));
  const unit = readWords(row('complemento'));
  const district = readWords(row('bairro'));
  const postCode = readZeros(row('cep'));
  const cityCode = row('municipio').trim();
  const named = cityCode === NO_CITY ? null : lookUpLabel('municipios', cityCode, context);
  const city = readWords(row('nome_cidade_exterior')) || (named ?? '');
  const region = isAbroad ? '' : state;
  const parts = [
    street,
    isAbroad && NO_NUMBER.test(number) ? '' : number,
    unit,
    district === city ? '' : district,
    city !== '' && region !== '' ? `${city} - ${region}` : city || region,
    /^\d{8}$/.test(postCode) ? `${postCode.slice(0, 5)}-${postCode.slice(5)}` : postCode,
    countryNumber === BRAZIL ? '' : country,
  ];
  const text = joinFilled(parts, ', ');
  if (text === '') return null;
  const isBrazil = !isAbroad && state !== '' && (countryNumber === '' || countryNumber === BRAZIL);
  return {
    text,
    ...compact({
      streetType,
      street,
      number,
      unit,
      district,
      postCode,
      city,
      cityCode,
      region,
      country,
      countryNumber,
    }),
    ...compact({ countryCode: isBrazil ? 'BR' : findCountryCode(country ?? '', LANGUAGES) }),
  };
}

/** `S/N` (*sem número*): the building has no number. */
const NO_NUMBER = /^S\/?N$/i;

/** Zeros mean that there is no number or post code. */
function readZeros(text: string): string {
  const words = readWords(text);
  return /^0+$/.test(words) ? '' : words;
}

/** Cells are padded with spaces, also between words. */
function readWords(text: string): string {
  const trimmed = text.trim();
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed;
}
