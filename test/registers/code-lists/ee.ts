import { ee } from '../../../src/registers/ee/register.ts';
import { type CodeList, mapWith, parseCases, readStatus, type Without } from './code-list.ts';

const STATUSES = `
R  Registrisse kantud  active
L  Likvideerimisel  in_liquidation
N  Pankrotis  insolvent
K  Kustutatud  dissolved
`;
const byCode = parseCases(STATUSES.replace(/^(\S) {2}.*? {2}/gm, '$1  '));
const byText = parseCases(STATUSES.replace(/^\S {2}/gm, ''));
const labels = parseCases(STATUSES.replace(/ {2}\S+$/gm, ''));

const mapCsv = (column: 'ettevotja_staatus' | 'ettevotja_staatus_tekstina') =>
  mapWith(ee, 'lihtandmed (CSV)', {}, (value) => ({ row: { nimi: 'Kask OÜ', [column]: value } }), readStatus);
const mapJson = (key: 'staatus' | 'staatus_tekstina') =>
  mapWith(
    ee,
    'yldandmed (JSON)',
    {},
    (value) => ({ row: { ariregistri_kood: 10000001, nimi: 'Kask OÜ', yldandmed: { [key]: value } } }),
    readStatus,
  );
/** Texts that tools show and that have no known code. */
const OTHER_TEXTS = [
  ['Registrist kustutatud', 'dissolved'],
  ['Hoiatuskandega', 'active'],
] as const;
const texts = [
  ...byText,
  ...byText.map(([text, status]) => [text.toUpperCase(), status] as const),
  ...byText.map(([text, status]) => [` ${text} `, status] as const),
  ...OTHER_TEXTS,
];
const codes = [...byCode, ...byCode.map(([code, status]) => [` ${code.toLowerCase()} `, status] as const)];

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapCsv('ettevotja_staatus'),
    cases: codes,
    others: { values: 'ABCDEFGHIJMOPQSTUVWXYZ', shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapCsv('ettevotja_staatus_tekstina'),
    cases: texts,
    others: { values: ['Imelik', 'Registrisse', 'Pankrotis olnud'], shown: 'unknown', reported: true },
  },
  { list: 'status', map: mapJson('staatus'), cases: codes },
  { list: 'status', map: mapJson('staatus_tekstina'), cases: texts },
  {
    list: 'status',
    map: mapWith(
      ee,
      'lihtandmed (CSV)',
      {},
      (ettevotja_staatus) => ({ row: { nimi: 'Kask OÜ', ariregistri_kood: '10000001', ettevotja_staatus } }),
      (record) => record.registrations[0]?.status,
    ),
    cases: labels,
  },
];

export const without: Without = {
  legalForm: 'the files have the text of every form',
  role: 'persons and owners are in other files',
};
