import { fold } from '../../core/fold.ts';
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
  ...['_id', 'ja_kodas', 'ja_pavadinimas', 'pilnas_adresas', 'adresas', 'adresas._id', 'reg_data', 'isreg_data'],
  ...['forma._id', 'forma.kodas', 'forma.pavadinimas', 'statusas._id', 'statusas.kodas', 'statusas.pavadinimas'],
  ...['stat_data'],
] as const;

export const DEREGISTERED = { code: '10', label: 'Išregistruotas' };

interface Status {
  readonly code: string;
  readonly status: EntityStatus;
}

/** The official list. An entity that is reorganised, converted, split or moved across borders continues to exist. */
const STATUSES: readonly (readonly [code: string, status: EntityStatus, ...texts: string[]])[] = [
  // The second text is that of the CSV, which abbreviates long ones.
  ['0', 'active', 'Teisinis statusas neįregistruotas', 'Teisinis stat neįregistruotas'],
  ['1', 'active', 'Reorganizuojamas'],
  ['2', 'active', 'Dalyvaujantis reorganizavime'],
  ['3', 'active', 'Pertvarkomas'],
  ['4', 'insolvent', 'Restruktūrizuojamas'],
  ['5', 'insolvent', 'Bankrutuojantis'],
  ['6', 'insolvent', 'Bankrutavęs'],
  ['7', 'in_liquidation', 'Likviduojamas'],
  ['8', 'active', 'Dalyvaujantis atskyrime'],
  ['9', 'in_liquidation', 'Inicijuojamas likvidavimas'],
  [DEREGISTERED.code, 'dissolved', DEREGISTERED.label],
  ['11', 'dissolved', 'Likviduotas'],
  ['12', 'inactive', 'Nepersiregistravęs'],
  // Has the text of 5.
  ['13', 'insolvent'],
  ['16', 'active', 'Inicijuojantis Europos bendrovės steigimą jungimosi būdu', 'Inic. EB jungimosi būdu'],
  ['17', 'active', 'Inicijuojantis Europos bendrovės steigimą valdymo (holdingo) būdu'],
  ['18', 'active', 'Europos bendrovė, kurios buveinė yra perkeliama'],
  ['19', 'active', 'Inicijuojantis Europos kooperatinės bendrovės steigimą jungimosi būdu'],
  ['20', 'active', 'Europos kooperatinė bendrovė, kurios buveinė perkeliama'],
  ['21', 'active', 'Jungiama, peržengiant vienos valstybės ribas, akcinė bendrovė ar uždaroji akcinė bendrovė'],
  ['22', 'active', 'Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi AB ar UAB'],
  ['23', 'active', 'Jungiamas peržengiant vienos valstybės ribas juridinis asmuo', 'JA jung peržengiant 1 valst'],
  ['24', 'active', 'Dalyvaujantis jungimesi peržengiant vienos valstybės ribas juridinis asmuo'],
  ['25', 'active', 'Perkeliantis buveinę'],
  ['26', 'insolvent', 'Likviduojamas dėl bankroto'],
  ['27', 'active', 'Jungiama peržengiant vienos valstybės ribas bendrovė', 'Jungiama peržengiant 1 valstyb'],
  ['28', 'active', 'Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi bendrovė'],
  ['29', 'active', 'Pertvarkoma peržengiant vienos valstybės ribas bendrovė'],
  ['30', 'active', 'Skaidoma peržengiant vienos valstybės ribas bendrovė', 'Skaidoma peržengiant 1 valst'],
  ['999', 'unknown', 'Nenustatytas'],
  // Only the texts of these are known. The last one is the abbreviation of 22 or 28.
  ['', 'active', 'Inicijuojantis kontroliuojančiosios Europos bendrovės steigimą'],
  ['', 'active', 'Perkeliantis buveinę į kitą valstybę'],
  ['', 'active', 'Dalyvaujanti 1 valst jungimesi'],
];

const BY_CODE: ReadonlyMap<string, EntityStatus> = new Map(
  STATUSES.flatMap(([code, status]) => (code === '' ? [] : [[code, status]])),
);
const BY_TEXT: ReadonlyMap<string, Status> = new Map(
  STATUSES.flatMap(([code, status, ...texts]) => texts.map((text) => [fold(text), { code, status }])),
);

/** The status of the code or, if it is missing or unknown, of the text; undefined if neither is known. */
export function findStatus(code: string, text: string): Status | undefined {
  const status = BY_CODE.get(code);
  return status === undefined ? BY_TEXT.get(fold(text)) : { code, status };
}
