/** Argentina: companies, associations and foundations of the national register that the Ministry of Justice publishes. */
import { EUROPEAN_STYLE } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, type Cell, CSV, chooseFirst, defineRegister } from '../contract.ts';
import { type Common, tableFields } from '../fields.ts';
import { compact, readDate } from '../parsing.ts';
import { describeRecord, ownNumber } from '../record.ts';

const [ENTITIES, NUMBER, FORMED] = ['entities', 'cuit', 'fecha_hora_contrato_social'];
const { text, concat, parsed, number, group, address, further } = tableFields();

/** Numbers of legal persons. */
const CUIT = /^3[034]\d{9}$/;
/** The check digit is 11 less the remainder; 11 is written as 0, and 10 as 9. */
const isRightSum = checkLastDigit([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], (sum) => [0, 9][sum % 11] ?? 11 - (sum % 11));
export const isValidNumber = (written: string) => CUIT.test(written) && isRightSum(written);

/** `1992-08-10-00:00`: the time has no meaning. */
const day = parsed((written) => readDate(written.slice(0, 10)), 'not a date');
const readFormed = day(FORMED);

/** The number 0 means that the house has none. */
const place = (prefix: string) =>
  address(
    group({
      street: text(`${prefix}_calle`),
      number: (cell) => cell(`${prefix}_numero`).trim().replace(/^0+$/, ''),
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

const PAGE = 'https://datos.jus.gob.ar/dataset/registro-nacional-de-sociedades';
const FILE = /registro-nacional-sociedades-(?<year>\d{4})(?<month>\d\d)\.zip$/;

export const ar = defineRegister({
  id: 'ar',
  name: 'National Register of Companies of Argentina',
  nativeName: 'Registro Nacional de Sociedades',
  publisher: 'Ministerio de Justicia de la Nación',
  licence: 'Unknown',
  attribution: 'Ministerio de Justicia de la Nación, Registro Nacional de Sociedades',
  sourceUrl: PAGE,
  updates: 'monthly',
  fetch: {
    kind: 'ckan',
    api: 'https://datos.jus.gob.ar/api/3/action',
    packages: [{ package: 'registro-nacional-de-sociedades', resources: [{ match: FILE }] }],
    size: { min: 10_000_000, max: 2_000_000_000 },
    readIn: 'NestorBalich/IA-ML, registro-nacional-sociedades',
  },
  files: ['registro-nacional-sociedades-202610.zip'],
  minimumRows: 500_000,
  numberColumns: [NUMBER],
  sources: [
    {
      name: ENTITIES,
      csv: CSV,
      required: [NUMBER, 'razon_social', 'tipo_societario', 'dom_legal_provincia'],
      // Older files name the columns without `hora`: `fecha_contrato_social`.
      match: (header) => header.trim().replace(/^fecha_(?!hora_)/, 'fecha_hora_'),
      gather: { column: NUMBER, choose: chooseFirst(isMain) },
      map: mapEntity,
    },
    {
      name: 'other files of the ministry',
      csv: CSV,
      required: [NUMBER, 'razon_social'],
      refusal: `this is another file of the Ministry of Justice. Import registro-nacional-sociedades-….csv from ${PAGE}`,
    },
  ],
  numbers: [{ kind: 'CUIT', form: CUIT, check: isValidNumber }],
});
