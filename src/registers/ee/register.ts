/** Estonia: the e-Business Register, as the daily simple-data CSV or as the more detailed general-data JSON. */
import { fold } from '../../base/fold.ts';
import { checkModulo11 } from '../check-digits.ts';
import { type Cell, CSV, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { fieldsOf, type State } from '../fields.ts';
import { parseDay, readText, type Tree, textOf, treeOf } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus, spread } from '../record.ts';
import { listCurrent, readAddress, readDetails } from './details.ts';
import { PARTY_SOURCES } from './parties.ts';

type Context = MapContext<unknown>;

/** The registry code: seven digits and a check digit. */
export const isValidNumber = checkModulo11([1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]);

/** A company of either file, by the columns of the CSV. */
interface Company {
  readonly cell: Cell;
  /** The address, by the keys of the JSON. */
  readonly address: Cell;
  /** Where the JSON has the column, for reports. */
  readonly path: (column: string) => string;
  /** What only the JSON has. It is read once, and only from companies with a name. */
  readonly details: () => Details;
}

type Details = ReturnType<typeof readDetails>;
const NOTHING: Details = { statusSince: null, activities: [], registry: {} };

/** The keys of `yldandmed` by the columns of the CSV. Only the CSV has the VAT number and the link. */
const KEYS: ReadonlyMap<string, string> = new Map([
  ['ettevotja_oiguslik_vorm', 'oiguslik_vorm_tekstina'],
  ['oiguslik_vorm', 'oiguslik_vorm'],
  ['ettevotja_oigusliku_vormi_alaliik', 'oigusliku_vormi_alaliik_tekstina'],
  ['ettevotja_staatus', 'staatus'],
  ['ettevotja_staatus_tekstina', 'staatus_tekstina'],
  ['ettevotja_esmakande_kpv', 'esmaregistreerimise_kpv'],
  ['kustutamise_kpv', 'kustutamise_kpv'],
]);
/** The columns of the address by its keys in the JSON. */
const ADDRESS_COLUMNS: Readonly<Record<string, string>> = {
  ettevotja_aadress: 'ettevotja_aadress',
  tanav_maja_korter: 'asukoht_ettevotja_aadressis',
  postiindeks: 'indeks_ettevotja_aadressis',
  ehak: 'asukoha_ehak_kood',
  ehak_nimetus: 'asukoha_ehak_tekstina',
  aadress_ads__ads_normaliseeritud_taisaadress: 'ads_normaliseeritud_taisaadress',
  aadress_ads__adr_id: 'ads_adr_id',
  aadress_ads__ads_oid: 'ads_ads_oid',
};

function readCsvCompany(cell: Cell): Company {
  const address = (key: string) => cell(ADDRESS_COLUMNS[key] ?? '');
  return { cell, address, path: (column) => column, details: () => NOTHING };
}

function readJsonCompany(record: Tree, context: Context): Company {
  const details = treeOf(record, 'yldandmed');
  const number = textOf(record, 'ariregistri_kood');
  const address = listCurrent(details, 'aadressid')[0] ?? {};
  let read: Details | undefined;
  return {
    cell(column) {
      if (column === 'nimi') return textOf(record, 'nimi');
      // The registry code is a JSON number, so its leading zeros are restored.
      if (column === 'ariregistri_kood') return number === '' ? '' : number.padStart(8, '0');
      const key = KEYS.get(column);
      return key === undefined ? '' : textOf(details, key);
    },
    address: (key) => textOf(address, key),
    path: (column) => `yldandmed.${KEYS.get(column)}`,
    details: () => (read ??= readDetails(details, textOf(details, 'staatus').toUpperCase(), context)),
  };
}

const { text, group } = fieldsOf<Company, unknown>(
  (column) =>
    ({ cell }) =>
      cell(column),
);

function day(column: string) {
  return ({ cell, path }: Company, context: Context) => parseDay(path(column), cell(column).trim(), context);
}

const mapCompany = describeRecord<Company, unknown>({
  name: text('nimi'),
  number: text('ariregistri_kood'),
  registeredAt: day('ettevotja_esmakande_kpv'),
  endedAt: day('kustutamise_kpv'),
  status: readStatus,
  // The register writes legal forms as text, so there is no list of them.
  legalForm: group({ code: text('oiguslik_vorm'), label: text('ettevotja_oiguslik_vorm') }),
  registrations: [ownNumber('RIK', isValidNumber), otherNumber('Maksu- ja Tolliamet', 'vat', text('kmkr_nr'))],
  activities: ({ details }) => details().activities,
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    legalFormSubtype: text('ettevotja_oigusliku_vormi_alaliik'),
    address: ({ address }) => readAddress(address),
    link: text('teabesysteemi_link'),
    details: spread(({ details }) => details().registry),
  },
});

const LABELS: ReadonlyMap<string, string> = new Map([
  ['R', 'Registrisse kantud'],
  ['L', 'Likvideerimisel'],
  ['N', 'Pankrotis'],
  ['K', 'Kustutatud'],
]);
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['R', 'active'],
  ['L', 'in_liquidation'],
  ['N', 'insolvent'],
  ['K', 'dissolved'],
]);
/** For missing or unknown codes: that of `Hoiatuskandega` (warning entry) is not documented. Folded. */
const BY_TEXT: ReadonlyMap<string, EntityStatus> = new Map<string, EntityStatus>([
  ...Array.from(STATUSES, ([code, status]) => [fold(LABELS.get(code) ?? ''), status] as const),
  ['registrist kustutatud', 'dissolved'],
  ['hoiatuskandega', 'active'],
]);

/** The code decides. The text is used if the code is missing or unknown: some statuses are known by their text only. */
function readStatus({ cell, path, details }: Company, context: Context): State {
  const [written, label] = [cell('ettevotja_staatus'), cell('ettevotja_staatus_tekstina')];
  const code = written.trim().toUpperCase();
  const status = STATUSES.get(code) ?? BY_TEXT.get(fold(label));
  if (status === undefined)
    context.reportUnknown('status', path('ettevotja_staatus'), [written, label].filter(Boolean).join(' '));
  return {
    status: status ?? 'unknown',
    code,
    label: readText(label) ?? LABELS.get(code) ?? null,
    since: details().statusSince,
  };
}

const COMPANIES =
  'Import ettevotja_rekvisiidid__lihtandmed.csv.zip or ettevotja_rekvisiidid__yldandmed.json.zip for companies';
const PARTIES = 'ettevotja_rekvisiidid__kaardile_kantud_isikud.json.zip and ettevotja_rekvisiidid__osanikud.json.zip';

/** Files with the same companies but other details, by the key of these details. */
const REFUSED_FILES: readonly (readonly [key: string, why: string])[] = [
  [
    'kasusaajad',
    `this file lists beneficial owners, which the publisher has closed: they are never imported. Import ${PARTIES} for officers and shareholders`,
  ],
  ['registrikaardid', `this is the file of registry cards, which is not supported. ${COMPANIES}`],
];

function refuseFile([key, refusal]: readonly [key: string, why: string]) {
  return { name: `${key} (JSON)`, format: { type: 'json' }, required: ['ariregistri_kood', key], refusal } as const;
}

/** Companies, then parties. */
const FETCHED_FILES = [
  { file: 'lihtandmed.csv' },
  { file: 'kaardile_kantud_isikud.json', parties: 'officers' },
  { file: 'kandevalised_isikud.json', parties: 'off_card' },
  { file: 'osanikud.json', parties: 'shareholders' },
].map(({ file, ...others }) => ({ name: `ettevotja_rekvisiidid__${file}.zip`, ...others }));

export const ee = defineRegister({
  id: 'ee',
  country: 'EE',
  name: 'e-Business Register',
  nativeName: 'e-Äriregister',
  publisher: 'Registrite ja Infosüsteemide Keskus (RIK)',
  licence: 'CC BY 4.0',
  attribution: 'Registrite ja Infosüsteemide Keskus, e-Äriregister, CC BY 4.0',
  sourceUrl: 'https://avaandmed.ariregister.rik.ee/en/downloading-open-data',
  companyPage: 'https://ariregister.rik.ee/eng/company/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    // The general data (JSON) has more fields but no VAT numbers, and is twelve times larger.
    files: FETCHED_FILES.map((file) => ({
      url: `https://avaandmed.ariregister.rik.ee/sites/default/files/avaandmed/${file.name}`,
      ...file,
    })),
    size: { min: 40_000_000, max: 400_000_000, minWithoutParties: 9_000_000 },
    origin: { readIn: 'opensanctions/opensanctions, datasets/ee/ariregister', ...UNTRIED },
  },
  files: [...FETCHED_FILES.map(({ name }) => name), 'ettevotja_rekvisiidid__yldandmed.json.zip'],
  minimumRows: 300_000,
  numberColumns: ['ariregistri_kood'],
  letters: /[äõöüšž]/iu,
  sources: [
    {
      name: 'lihtandmed (CSV)',
      csv: { ...CSV, delimiter: ';' },
      required: ['nimi', 'ariregistri_kood', 'ettevotja_staatus'],
      map: (cell, context) => mapCompany(readCsvCompany(cell), context),
    },
    {
      name: 'yldandmed (JSON)',
      format: { type: 'json' },
      required: ['ariregistri_kood', 'nimi', 'yldandmed'],
      map: (record: Tree, context: Context) => mapCompany(readJsonCompany(record, context), context),
    },
    ...PARTY_SOURCES,
    ...REFUSED_FILES.map(refuseFile),
  ],
  numbers: [{ kind: 'registry code', form: /^\d{8}$/, check: isValidNumber }],
});
