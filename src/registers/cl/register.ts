/** Chile: companies that were formed in the electronic register of companies (RES, Law 20.659) since 2013. */
import { EUROPEAN_STYLE } from '../address.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { describeRecord, ownNumber } from '../record.ts';

const { text, day, amount, number, group, groupWith, address, further } = tableFields();

const NUMBER = /^\d{7,8}-[\dK]$/;

/** The weights are 2 to 7 from the right, repeated. The check digit is 11 less the remainder; 11 is written as 0 and 10 as K. */
function isValidNumber(written: string): boolean {
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
    capital: groupWith(['amount'], { amount: amount('Capital'), currency: () => 'CLP' }),
    firstSignedAt: day('Fecha de actuacion (1era firma)'),
    taxApprovedAt: day('Fecha de aprobacion x SII'),
    actNumber: text('ID'),
  },
});

export const cl = defineRegister({
  id: 'cl',
  tables: {
    companies: {
      map: (cell, context) =>
        /^CONSTITUCI.N$/i.test(cell('Tipo de actuacion').trim())
          ? mapCompany(cell, context)
          : { rejected: 'not a formation', expected: true },
    },
  },
  writeNumber,
  numbers: [{ kind: 'RUT', form: /^\d{7,8}[\dK]$/, write: writeNumber, check: isValidNumber }],
});
