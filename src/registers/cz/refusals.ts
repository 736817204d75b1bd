/** Files of the public register, which has persons. They are recognized only to say what to import instead. */
import { refuseTree } from '../contract.ts';

const ADVICE =
  'Import res_data.csv from https://opendata.csu.gov.cz/soubory/od/od_org03/res_data.csv, the Register of Economic Subjects';
const EXTRACT = `this file is an extract of the public register (ARES VREO): it has one company with the members of its bodies. ${ADVICE}`;
const API = `this file is an answer of the ARES API about the public register, not a complete file. ${ADVICE}`;

export const REFUSED_SOURCES = [
  ...['are:', ''].map((prefix) =>
    refuseTree(
      `VREO (XML${prefix === '' ? ', no prefix' : ''})`,
      { type: 'xml', element: 'Vypis_VREO' },
      [`${prefix}Zakladni_udaje`],
      EXTRACT,
    ),
  ),
  refuseTree('ARES (JSON)', { type: 'json' }, ['icoId', 'zaznamy'], API),
];
