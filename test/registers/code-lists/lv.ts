import { lv } from '../../../src/registers/lv/register.ts';
import { type CodeList, mapWith, readStatus, type Without } from './code-list.ts';

/** The value is `closed`. Live rows have a space, and every row that was seen with a letter has a date in `terminated`. */
const mapClosed = (terminated: string) =>
  mapWith(lv, 'register', {}, (closed) => ({ row: { name: 'Pūķis', closed, terminated } }), readStatus);
const mapLabel = mapWith(
  lv,
  'register',
  {},
  (closed) => ({ row: { name: 'Pūķis', regcode: '40000000104', closed } }),
  (record) => record.registrations[0]?.status,
);

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapClosed(''),
    cases: [
      [' ', 'active'],
      ['', 'active'],
      ['L', 'dissolved'],
      ['R', 'dissolved'],
      [' R ', 'dissolved'],
      ['l', 'dissolved'],
    ],
    others: { values: 'ABCDEFGHIJKMNOPQSTUVWXYZ', shown: 'dissolved', reported: true },
  },
  {
    list: 'status',
    map: mapClosed('2013-12-11'),
    cases: [
      [' ', 'dissolved'],
      ['', 'dissolved'],
      ['L', 'dissolved'],
      ['R', 'dissolved'],
    ],
  },
  {
    list: 'status',
    map: mapLabel,
    cases: [
      ['L', 'Likvidēts'],
      ['R', 'Reorganizēts'],
      ['r', 'Reorganizēts'],
      [' ', null],
    ],
  },
];

export const without: Without = {
  legalForm: 'the file has the text of every code',
  role: 'officers and owners are in other files',
};
