/** Chile: companies that were formed in the electronic register of companies (RES, Law 20.659) since 2013. */
import { EUROPEAN_STYLE } from '../address.ts';
import { type Cell, CSV, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { describeRecord, ownNumber } from '../record.ts';

const { text, day, amount, number, group, address, further } = tableFields();
const readCapital = amount('Capital');

const NUMBER = /^\d{7,8}-[\dK]$/;

/** The weights are 2 to 7 from the right, repeated. The check digit is 11 less the remainder; 11 is written as 0 and 10 as K. */
export function isValidNumber(written: string): boolean {
  if (!NUMBER.test(written)) return false;
  const [body = '', digit] = written.split('-');
  const sum = [...body].reverse().reduce((total, one, at) => total + Number(one) * (2 + (at % 6)), 0);
  return digit === '0123456789K'[(11 - (sum % 11)) % 11];
}
const writeNumber = (written: string) => written.toUpperCase().replace(/^(\d{7,8})-?([\dK])$/, '$1-$2');

/** The file has no streets. */
const place = (kind: string) =>
  address(group({ city: text(`Comuna ${kind}`), regionCode: text(`Region ${kind}`) }), EUROPEAN_STYLE);

const mapCompany = describeRecord<Cell, unknown>({
  name: text('Razon Social'),
  number: number('RUT', NUMBER, 'not a RUT', writeNumber),
  registeredAt: day('Fecha de registro (ultima firma)'),
  status: () => null,
  legalForm: group({ label: text('Codigo de sociedad') }),
  registrations: [ownNumber('Registro de Empresas y Sociedades', isValidNumber)],
  registry: {
    address: place('Social'),
    addresses: further('other', place('Tributaria')),
    capital(...row) {
      const found = readCapital(...row);
      return found === null ? null : { amount: found, currency: 'CLP' };
    },
    firstSignedAt: day('Fecha de actuacion (1era firma)'),
    taxApprovedAt: day('Fecha de aprobacion x SII'),
    actNumber: text('ID'),
  },
});

const PAGE = 'https://datos.gob.cl/dataset/registro-de-empresas-y-sociedades';
const FIRST_YEAR = 2013;
/** The file of the present year may have its month in the name. A year without a file is skipped. */
const FILES = Array.from({ length: 20 }, (_, at) => ({
  match: new RegExp(`${FIRST_YEAR + at}(?<month>\\d\\d|)-sociedades-por-fecha-rut-constitucion`),
  ...(at > 12 && { optional: true as const }),
}));

export const cl = defineRegister({
  id: 'cl',
  name: 'Register of Companies of Chile (RES)',
  nativeName: 'Registro de Empresas y Sociedades',
  publisher: 'Ministerio de Economía, Fomento y Turismo',
  licence: 'CC BY',
  attribution: 'Ministerio de Economía, Fomento y Turismo de Chile, Registro de Empresas y Sociedades; CC BY',
  sourceUrl: PAGE,
  updates: 'monthly',
  fetch: {
    kind: 'ckan',
    api: 'https://datos.gob.cl/api/3/action',
    packages: [{ package: 'registro-de-empresas-y-sociedades', resources: FILES }],
    size: { min: 90_000_000, max: 1_000_000_000 },
    readIn: 'four public importers of the files of datos.gob.cl',
  },
  files: ['2025-sociedades-por-fecha-rut-constitucion.csv', '2026-sociedades-por-fecha-rut-constitucion.csv'],
  minimumRows: 1_200_000,
  numberColumns: ['RUT'],
  letters: /[áéíóúñ]/iu,
  sources: [
    {
      name: 'companies',
      csv: { ...CSV, delimiter: ';', quote: null },
      required: ['RUT', 'Razon Social', 'Codigo de sociedad', 'Tipo de actuacion'],
      match: 'folded',
      map: (cell, context) =>
        /^CONSTITUCI.N$/i.test(cell('Tipo de actuacion').trim())
          ? mapCompany(cell, context)
          : { rejected: 'not a formation', expected: true },
    },
    {
      name: 'lists of the tax administration',
      csv: { ...CSV, delimiter: '\t' },
      required: ['RUT', 'DV'],
      match: 'folded',
      refusal: `this is a list of the tax administration (SII). Import the files of the years from ${PAGE}`,
    },
  ],
  writeNumber,
  numbers: [{ kind: 'RUT', form: /^\d{7,8}[\dK]$/, write: writeNumber, check: isValidNumber }],
});
