import { md } from '../../../src/registers/md/register.ts';
import { type CodeList, mapWith, parseCases, readRole, readStatus, type Without } from './code-list.ts';

const map = (column: string, read: typeof readStatus | typeof readRole, write = (value: string) => value) =>
  mapWith(md, 'companies', {}, (value) => ({ row: { 'Denumirea completă': 'PLAI', [column]: write(value) } }), read);
const DIRECTORS = 'Lista conducătorilor (cu indicarea rolurilor)';
const writeDirector = (role: string) => `POPA ION [${role}]`;

/** The roles that files of 2023 and later have, with the role and the status that follow from each. */
const ROLES = `
Administrator  director active
Direcţie de conducere  director active
Comitet  director active
Lichidator  liquidator in_liquidation
Administrator al procesului de insolvabilitate  insolvency_administrator insolvent
Administrator provizoriu  insolvency_administrator insolvent
Administrator fiduciar  director active
Administrator din oficiu  director active
Administrator al procedurii planului  insolvency_administrator insolvent
Comisia  director active
Datele lipsesc  director active
LICHIDATOR  liquidator in_liquidation
administrator PROVIZORIU  insolvency_administrator insolvent
Direcție de conducere  director active
`;

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: map('Statutul', readStatus),
    cases: [
      ['lichidată', 'dissolved'],
      ['Lichidată', 'dissolved'],
      [' LICHIDATĂ ', 'dissolved'],
      ['lichidata', 'dissolved'],
      [' ', 'active'],
      ['', 'active'],
    ],
    others: { values: ['activă', 'reorganizată', 'lichidare'], shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: map('Data lichidării', readStatus),
    cases: [
      ['34116', 'dissolved'],
      ['20.08.2011', 'dissolved'],
      ['', 'active'],
      [' ', 'active'],
    ],
  },
  {
    list: 'status',
    map: map(DIRECTORS, readStatus, writeDirector),
    cases: parseCases(ROLES.replace(/ \S+( \S+)$/gm, ' $1')),
  },
  {
    list: 'role',
    map: map(DIRECTORS, readRole, writeDirector),
    cases: parseCases(ROLES.replace(/ \S+$/gm, '')),
    others: { values: ['Director general', 'Preşedinte'], shown: 'director', reported: false },
  },
];

export const without: Without = { legalForm: 'the file has the text of every form, and no codes' };
