/** Argentina: companies, associations and foundations of the national register that the Ministry of Justice publishes. */
import { EUROPEAN_STYLE } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, chooseFirst, defineRegister } from '../contract.ts';
import { type Common, tableFields } from '../fields.ts';
import { compact, readDate } from '../parsing.ts';
import { describeRecord, ownNumber } from '../record.ts';

const [ENTITIES, NUMBER, FORMED] = ['entities', 'cuit', 'fecha_hora_contrato_social'];
const { text, replaced, concat, parsed, number, group, address, further } = tableFields();

/** Numbers of legal persons. */
const CUIT = /^3[034]\d{9}$/;
/** The check digit is 11 less the remainder; 11 is written as 0, and 10 as 9. */
const isRightSum = checkLastDigit([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], (sum) => [0, 9][sum % 11] ?? 11 - (sum % 11));
const isValidNumber = (written: string) => CUIT.test(written) && isRightSum(written);

/** `1992-08-10-00:00`: the time has no meaning. */
const day = parsed((written) => readDate(written.slice(0, 10)), 'not a date');
const readFormed = day(FORMED);

/** The number 0 means that the house has none. */
const place = (prefix: string) =>
  address(
    group({
      street: text(`${prefix}_calle`),
      number: replaced(`${prefix}_numero`, /^0+$/),
      unit: concat(' ', `${prefix}_piso`, `${prefix}_departamento`),
      postCode: text(`${prefix}_cp`),
      city: text(`${prefix}_localidad`),
      region: text(`${prefix}_provincia`),
      reliability: text(`${prefix}_estado_domicilio`),
    }),
    EUROPEAN_STYLE,
  );

const mapEntity = describeRecord<Cell, unknown>({
  name: text('razon_social'),
  number: number(NUMBER, /^\d{11}$/, 'not a CUIT'),
  registeredAt(...row) {
    const formed = readFormed(...row);
    if (formed !== '1901-01-01') return formed;
    row[1].reportUnknown('date', FORMED, formed);
    return null;
  },
  status: () => null,
  legalForm: group({ label: text('tipo_societario') }),
  registrations: [ownNumber('Registro Nacional de Sociedades', isValidNumber)],
  activities: readActivities,
  registry: {
    address: place('dom_legal'),
    addresses: further('other', place('dom_fiscal')),
    inscriptionNumber: text('numero_inscripcion'),
    updatedAt: day('fecha_hora_actualizacion'),
  },
});

/** A complete file has a row for each activity of a company. */
function readActivities(cell: Cell, _context: unknown, { rows }: Common): readonly Activity[] {
  return [cell, ...rows(ENTITIES)].flatMap((row) => {
    const [code = '', label = '', state, valid] = ACTIVITY.map((column) => row(`actividad_${column}`).trim());
    if (code === '' && label === '') return [];
    const national = compact({ state, valid });
    return [
      { type: 'unlicensed', scheme: 'CLAE', code: code || null, label: label || null, main: isMain(row), national },
    ];
  });
}

const ACTIVITY = ['codigo', 'descripcion', 'estado', 'vigencia'];
const isMain = (row: Cell) => row('actividad_orden').trim() === '1';

export const ar = defineRegister({
  id: 'ar',
  tables: {
    [ENTITIES]: {
      // Older files name the columns without `hora`: `fecha_contrato_social`.
      match: (header) => header.trim().replace(/^fecha_(?!hora_)/, 'fecha_hora_'),
      gather: { choose: chooseFirst(isMain) },
      map: mapEntity,
    },
  },
  numbers: [{ kind: 'CUIT', form: CUIT, check: isValidNumber }],
});
