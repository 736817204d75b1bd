import { ro } from '../../../src/registers/ro/register.ts';
import {
  type Case,
  type CodeList,
  listOtherNumbers,
  mapWith,
  parseCases,
  readRole,
  readStatus,
  type Without,
} from './code-list.ts';

const NUMBER = 'J40/630/1992';
const row = { DENUMIRE: 'IAZUL LINIȘTIT S.R.L.', CUI: '0', COD_INMATRICULARE: NUMBER, FORMA_JURIDICA: 'SRL' };
const withCodes = (...codes: string[]) => ({
  row,
  rows: { OD_STARE_FIRMA: codes.map((COD) => ({ COD_INMATRICULARE: NUMBER, COD })) },
});

/** Codes with a known label, and codes of which only is known whether a company with them trades. */
const CODES: readonly Case[] = [
  ...parseCases(`
    1048 = active
    1084 = dissolved
    1052 = in_liquidation
    1139 = insolvent
    1049 = in_liquidation
    1057 = insolvent
    1070 = insolvent
    1074 = inactive
    1107 = insolvent
    1109 = in_liquidation
    1113 = in_liquidation
  `),
  // An expired registered office, and an insolvent parent: alone they say nothing about the company.
  ...['2069', '1037', '1038', '1146'].map((code): Case => [code, 'unknown']),
  ...'1036 1050 1053 1054 1067 1069 1110'.split(' ').map((code): Case => [code, 'active']),
  ...'1055 1073 1076 1078 1083 1086 1094 1098 1100 1105 1106 1111 1120 1121 1126 1132 1133 1134 1137 1138 1144 1145 1151 1152 1153'
    .split(' ')
    .map((code): Case => [code, 'unknown']),
];

/** The code 9999 with a text of N_STARE_FIRMA. */
const mapText = (value: string) =>
  mapWith(
    ro,
    'OD_FIRME',
    { N_STARE_FIRMA: [{ COD: '9999', DENUMIRE: value }] },
    () => withCodes('9999'),
    readStatus,
  )(value);

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(ro, 'OD_FIRME', {}, (value) => withCodes(value), readStatus),
    cases: CODES,
    others: { values: listOtherNumbers(4, CODES), shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapText,
    cases: parseCases(`
      funcțiune = active
      FUNCŢIUNE = active
      functiune = active
      radiată = dissolved
      lichidare = in_liquidation
      dizolvare = in_liquidation
      dizolvare de drept = in_liquidation
      dizolvare judiciară = in_liquidation
      insolvență = insolvent
      INSOLVENŢĂ = insolvent
      faliment = insolvent
      reorganizare judiciară = insolvent
      întrerupere temporară = inactive
      întrerupere temporară de activitate = inactive
    `),
    others: { values: ['sediu mutat'], shown: 'unknown', reported: true },
  },
  {
    // The complete set of codes decides, in any order.
    list: 'status',
    map: mapWith(ro, 'OD_FIRME', {}, (value) => withCodes(...value.split('+')), readStatus),
    cases: parseCases(`
      1048+2069 = active
      1037+1048 = active
      1048+1038 = active
      1048+1146 = active
      1048+1139 = insolvent
      1070+1048 = insolvent
      1049+1048 = in_liquidation
      1048+1074 = inactive
      1139+1084+1048 = dissolved
    `),
  },
  {
    list: 'role',
    map: mapWith(
      ro,
      'OD_FIRME',
      {},
      (value) => ({
        row,
        rows: {
          OD_REPREZENTANTI_LEGALI: [{ COD_INMATRICULARE: NUMBER, PERSOANA_IMPUTERNICITA: 'POPA ANA', CALITATE: value }],
        },
      }),
      readRole,
    ),
    cases: parseCases(`
      administrator = director
      ADMINISTRATOR = director
      reprezentant al persoanei juridice = representative
      lichidator judiciar = liquidator
      lichidator = liquidator
      lichidator provizoriu = liquidator
      administrator si reprezentant = director
      administrator judiciar = insolvency_administrator
      lichidator judiciar provizoriu = liquidator
      administrator special = insolvency_administrator
      administrator judiciar provizoriu = insolvency_administrator
      reprezentant administrator persoana juridica = representative
      director general unic = director
      membru în consiliul de supraveghere = director
      reprezentant legal = representative
      membru în directorat = director
      administrator provizoriu = director
      administrator concordatar = insolvency_administrator
      administrator si conducator = director
      mandatar = representative
      administrator repus în funcție = director
    `),
    others: { values: ['', 'altă calitate'], shown: 'representative', reported: false },
  },
];

export const without: Without = { legalForm: 'FORMA_JURIDICA has abbreviations such as SRL, without a list' };
