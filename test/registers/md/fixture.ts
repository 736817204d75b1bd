/** Invented rows for the tests in the layouts of 2017 and 2026, code sheets, and functions that map the rows. */
import type { CodeRow, MappedRecord, Rejection, TableSource } from '../../../src/registers/contract.ts';
import { md } from '../../../src/registers/md/register.ts';

export const CAEM_1 = { scheme: 'CAEM', edition: '1' };
export const CAEM_2 = { scheme: 'CAEM', edition: '2' };

export const VERSION = 'Versiunea CAEM (1 - CAEM; 2 - CAEM rev.2)';
export const UNLICENSED: CodeRow[] = [
  { ID: '1110', Denumire: 'Cultura cerealelor', 'Cod CAEM': '0111', [VERSION]: '1' },
  { ID: '111', Denumire: 'Cultivarea cerealelor', 'Cod CAEM': '0111', [VERSION]: '2' },
  { ID: '55300', Denumire: 'Restaurante', 'Cod CAEM': '553', [VERSION]: '1' },
  { ID: '55301', Denumire: 'Restaurante', 'Cod CAEM': '553', [VERSION]: '2' },
];
const LICENSED: CodeRow[] = [
  { ID: '17', Denumire: 'Activitatea de turism' },
  { ID: '72', Denumire: 'Activitatea farmaceutică' },
];
const COUNTRIES: CodeRow[] = [
  { COD: 'MD', Denumire: 'Moldova' },
  { COD: 'RO', Denumire: 'România' },
];
const ALL = new Map([
  ['unlicensed', UNLICENSED],
  ['licensed', LICENSED],
  ['countries', COUNTRIES],
]);

export const LAYOUT_2017 = {
  'IDNO/ Cod fiscal': '1099600123450',
  'Data înregistrării': '38709',
  'Denumirea completă': ' "PLAI  NOU" S.R.L. ',
  'Forma org./jurid.': 'Societate cu răspundere limitată',
  Adresa: 'mun. Chişinău, sec. Centru, str. Columna, 5',
  'Lista conducătorilor': 'POPA ION, RUSU ANA',
  'Lista fondatorilor': ' Consiliul Sătesc Lunca ',
  'Genuri de activitate nelicentiate': '1110, 55300',
  'Genuri de activitate licentiate': '17, 72',
  Statutul: ' ',
};
export const LAYOUT_2026 = {
  'IDNO/ Cod fiscal': '1099600123450',
  'Data înregistrării': '34116',
  'Denumirea completă': 'S.R.L. ”PLAI”',
  'Forma org./jurid.': 'Societate cu răspundere limitată',
  Adresa: 'MD-2001, CHIȘINĂU, str. Columna, 5',
  'Codul unităţii administrativ-teritoriale (CUATM)': '120',
  'Lista conducătorilor (cu indicarea rolurilor)': 'POPA ION [Administrator]',
  'Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)': 'POPA ION (100,00%)',
  'Genuri de activitate nelicentiate': '111',
  'Genuri de activitate licentiate': '',
  'Data lichidării': '',
};
export const ROLES = 'Lista conducătorilor (cu indicarea rolurilor)';
export const OWNERS = 'Lista beneficiarilor efectivi (Nume, Prenume, Ţara de reşedinţă)';

export const companies = md.sources[0] as TableSource<unknown>;

export function mapRow(row: Record<string, string>, tables: ReadonlyMap<string, readonly CodeRow[]> = ALL) {
  const reports: string[][] = [];
  const context = {
    codes: md.readCodes(tables),
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  const mapped = companies.map?.((column) => row[column] ?? '', context) as MappedRecord & Rejection;
  return { ...mapped, reports };
}

export function map2026(changes: Record<string, string>, tables?: ReadonlyMap<string, readonly CodeRow[]>) {
  return mapRow({ ...LAYOUT_2026, ...changes }, tables);
}
