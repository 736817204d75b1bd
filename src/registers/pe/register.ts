/** Peru: the reduced tax register (padrón reducido del RUC) of SUNAT, without natural persons. */
import { fold } from '../../base/fold.ts';
import { EUROPEAN_STYLE } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Cell, defineRegister, type EntityStatus, listColumns } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { tableFields } from '../fields.ts';
import { joinFilled } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus } from '../record.ts';

const [RUC, NAME, STATE] = ['RUC', 'NOMBRE O RAZÓN SOCIAL', 'ESTADO DEL CONTRIBUYENTE'];
const STATUSES = readCodeLists('pe').meanings<EntityStatus>('status');
const { text, number, group, status, concat, address } = tableFields();

/** The check digit is 11 less the remainder; 11 is written as 1, and 10 as 0. */
const isValidNumber = checkLastDigit([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], (sum) => (11 - (sum % 11)) % 10);
/** Numbers of natural persons begin with 10, followed by the number of the identity card, or with 15 or 17. */
const isPerson = (cell: Cell) => /^1[057]/.test(cell(RUC));

const UNITS = { INTERIOR: 'Int.', DEPARTAMENTO: 'Dpto.', MANZANA: 'Mz.', LOTE: 'Lt.', KILÓMETRO: 'Km.' };

const mapTaxpayer = describeRecord<Cell, unknown>({
  name: text(NAME),
  number: number(RUC, /^\d{11}$/, 'not a RUC'),
  status: status(STATE, STATUSES),
  registrations: [ownNumber('SUNAT', isValidNumber)],
  registry: {
    status: ownStatus,
    address: address(
      group({
        street: concat(' ', 'TIPO DE VÍA', 'NOMBRE DE VÍA'),
        number: text('NÚMERO'),
        unit: (cell) =>
          joinFilled(
            Object.entries(UNITS).map(([column, word]) => cell(column) && `${word} ${cell(column).trim()}`),
            ' ',
          ),
        // The titles of the two columns are swapped: `URB.` is in the column of the code.
        district: concat(' ', 'CÓDIGO DE ZONA', 'TIPO DE ZONA'),
        municipalityCode: text('UBIGEO'),
      }),
      EUROPEAN_STYLE,
    ),
    addressCondition: text('CONDICIÓN DE DOMICILIO'),
  },
});

const COLUMNS = listColumns('pe', 'taxpayers');
const POSITIONS = new Map(COLUMNS.map((column, at) => [column, at]));

/**
 * The row without hyphens for empty cells. A `|` in a name moves all columns that follow, so the status is the first known word, and the name
 * is the text before the status.
 */
function repair(cell: Cell): Cell {
  const found = [0, 1, 2, 3].find((moved) => STATUSES.has(cell(COLUMNS[2 + moved] ?? '').trim())) ?? 0;
  const read = (at: number) => cell(COLUMNS[at] ?? '').replace(/^\s*-+\s*$/, '');
  return (column) => {
    if (column === NAME)
      return COLUMNS.slice(1, 2 + found)
        .map(cell)
        .join('|');
    return column === RUC ? cell(RUC) : read((POSITIONS.get(column) ?? COLUMNS.length) + found);
  };
}

export const pe = defineRegister({
  id: 'pe',
  tables: {
    taxpayers: {
      // Copies have lost the accents of the header: `RAZ N SOCIAL`. The consonants are enough to distinguish the columns.
      match: (header) => fold(header).replace(/[^b-df-hj-np-tv-z]/g, ''),
      map: (cell, context) =>
        isPerson(cell) ? { rejected: 'a natural person', expected: true } : mapTaxpayer(repair(cell), context),
    },
  },
  numbers: [{ kind: 'RUC', form: /^(?:10|15|17|20)\d{9}$/, check: isValidNumber }],
});
