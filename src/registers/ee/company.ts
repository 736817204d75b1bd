/** One shape for both files. The simple-data CSV has no `details`; the general-data JSON has no VAT number or link. */
import type { Cell, Json } from '../contract.ts';
import { type Tree, textOf, treeOf, treesOf } from '../parsing.ts';

/** Texts as written; '' if the file has no such field. `source` holds the field names of the file, for reports. */
export interface Company {
  readonly source: typeof CSV_NAMES | typeof JSON_NAMES;
  readonly name: string;
  readonly number: string;
  readonly vatNumber: string;
  readonly legalForm: string;
  readonly legalFormCode: string;
  readonly legalFormSubtype: string;
  readonly statusCode: string;
  readonly statusText: string;
  readonly registeredAt: string;
  readonly deletedAt: string;
  readonly address: CompanyAddress;
  readonly link: string;
  readonly details: Tree | null;
}

export interface CompanyAddress {
  readonly text: string;
  readonly street: string;
  readonly postCode: string;
  readonly placeCode: string;
  readonly place: string;
  readonly normalized: string;
  readonly addressId: string;
  readonly objectId: string;
  /** Three letters, such as `EST`. */
  readonly countryAlpha3: string;
  readonly country: string;
}

export const COLUMNS = [
  ...['nimi', 'ariregistri_kood', 'ettevotja_oiguslik_vorm', 'ettevotja_oigusliku_vormi_alaliik', 'kmkr_nr'],
  ...['ettevotja_staatus', 'ettevotja_staatus_tekstina', 'ettevotja_esmakande_kpv', 'ettevotja_aadress'],
  ...['asukoht_ettevotja_aadressis', 'asukoha_ehak_kood', 'asukoha_ehak_tekstina', 'indeks_ettevotja_aadressis'],
  ...['ads_adr_id', 'ads_ads_oid', 'ads_normaliseeritud_taisaadress', 'teabesysteemi_link'],
] as const;

const CSV_NAMES = { status: 'ettevotja_staatus', registeredAt: 'ettevotja_esmakande_kpv', deletedAt: '' } as const;
const JSON_NAMES = {
  status: 'yldandmed.staatus',
  registeredAt: 'yldandmed.esmaregistreerimise_kpv',
  deletedAt: 'yldandmed.kustutamise_kpv',
} as const;

export function readCsvCompany(cell: Cell): Company {
  return {
    source: CSV_NAMES,
    name: cell('nimi'),
    number: cell('ariregistri_kood'),
    vatNumber: cell('kmkr_nr'),
    legalForm: cell('ettevotja_oiguslik_vorm'),
    legalFormCode: '',
    legalFormSubtype: cell('ettevotja_oigusliku_vormi_alaliik'),
    statusCode: cell('ettevotja_staatus'),
    statusText: cell('ettevotja_staatus_tekstina'),
    registeredAt: cell('ettevotja_esmakande_kpv'),
    deletedAt: '',
    address: {
      text: cell('ettevotja_aadress'),
      street: cell('asukoht_ettevotja_aadressis'),
      postCode: cell('indeks_ettevotja_aadressis'),
      placeCode: cell('asukoha_ehak_kood'),
      place: cell('asukoha_ehak_tekstina'),
      normalized: cell('ads_normaliseeritud_taisaadress'),
      addressId: cell('ads_adr_id'),
      objectId: cell('ads_ads_oid'),
      countryAlpha3: '',
      country: '',
    },
    link: cell('teabesysteemi_link'),
    details: null,
  };
}

/** The registry code is a JSON number, so its leading zeros are restored. */
export function readJsonCompany(record: { readonly [key: string]: Json }): Company {
  const details = treeOf(record, 'yldandmed');
  const number = textOf(record, 'ariregistri_kood');
  return {
    source: JSON_NAMES,
    name: textOf(record, 'nimi'),
    number: number === '' ? '' : number.padStart(8, '0'),
    vatNumber: '',
    legalForm: textOf(details, 'oiguslik_vorm_tekstina'),
    legalFormCode: textOf(details, 'oiguslik_vorm'),
    legalFormSubtype: textOf(details, 'oigusliku_vormi_alaliik_tekstina'),
    statusCode: textOf(details, 'staatus'),
    statusText: textOf(details, 'staatus_tekstina'),
    registeredAt: textOf(details, 'esmaregistreerimise_kpv'),
    deletedAt: textOf(details, 'kustutamise_kpv'),
    address: readJsonAddress(listCurrent(details, 'aadressid')[0] ?? {}),
    link: '',
    details,
  };
}

export function readJsonAddress(address: Tree): CompanyAddress {
  return {
    text: '',
    street: textOf(address, 'tanav_maja_korter'),
    postCode: textOf(address, 'postiindeks'),
    placeCode: textOf(address, 'ehak'),
    place: textOf(address, 'ehak_nimetus'),
    normalized: textOf(address, 'aadress_ads__ads_normaliseeritud_taisaadress'),
    addressId: textOf(address, 'aadress_ads__adr_id'),
    objectId: textOf(address, 'aadress_ads__ads_oid'),
    countryAlpha3: textOf(address, 'riik'),
    country: textOf(address, 'riik_tekstina'),
  };
}

/** The entries of a history that have no end date. */
export function listCurrent(details: Tree, key: string): readonly Tree[] {
  return treesOf(details, key).filter((entry) => textOf(entry, 'lopp_kpv') === '');
}
