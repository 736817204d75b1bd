import type { EntityStatus } from '../contract.ts';

/** Both files begin with these columns. */
const ENTITY = ['ja_kodas', 'ja_pavadinimas', 'adresas', 'ja_reg_data', 'form_kodas', 'form_pavadinimas'] as const;

/** The file of registered entities. */
export const COLUMNS = [...ENTITY, 'stat_kodas', 'stat_pavadinimas', 'stat_data_nuo', 'formavimo_data'] as const;

/** The file of deregistered entities. */
export const ENDED_COLUMNS = [...ENTITY, 'isreg_data', 'formavimo_data'] as const;

/**
 * The data API (Spinta) has other names for the same fields. It refers to addresses, forms and statuses by its own ids,
 * and adds their codes and names only to a request that selects them.
 */
export const API_COLUMNS = [
  '_id',
  'ja_kodas',
  'ja_pavadinimas',
  'pilnas_adresas',
  'adresas',
  'adresas._id',
  'reg_data',
  'isreg_data',
  'forma._id',
  'forma.kodas',
  'forma.pavadinimas',
  'statusas._id',
  'statusas.kodas',
  'statusas.pavadinimas',
  'stat_data',
] as const;

export const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  // Reorganised, converted, split or moved across borders: the business continues.
  ...[0, 1, 2, 3, 8, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 29, 30].map(
    (code) => [`${code}`, 'active'] as const,
  ),
  ...[4, 5, 6, 13, 26].map((code) => [`${code}`, 'insolvent'] as const),
  ...[7, 9].map((code) => [`${code}`, 'in_liquidation'] as const),
  ...[10, 11].map((code) => [`${code}`, 'dissolved'] as const),
  ['12', 'inactive'],
  ['999', 'unknown'],
]);

export const DEREGISTERED = { code: '10', label: 'Išregistruotas' };

/** The codes by their text, as far as the texts are known. The CSV abbreviates that of code 0. */
export const STATUS_CODES: ReadonlyMap<string, string> = new Map([
  ['Teisinis statusas neįregistruotas', '0'],
  ['Teisinis stat neįregistruotas', '0'],
  ['Reorganizuojamas', '1'],
  ['Dalyvaujantis reorganizavime', '2'],
  ['Pertvarkomas', '3'],
  ['Restruktūrizuojamas', '4'],
  ['Bankrutuojantis', '5'],
  ['Bankrutavęs', '6'],
  ['Likviduojamas', '7'],
  ['Dalyvaujantis atskyrime', '8'],
  ['Inicijuojamas likvidavimas', '9'],
  [DEREGISTERED.label, DEREGISTERED.code],
  ['Likviduotas', '11'],
  ['Nepersiregistravęs', '12'],
  ['Likviduojamas dėl bankroto', '26'],
  ['Nenustatytas', '999'],
]);
