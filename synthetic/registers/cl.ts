/** Invented formations of one year. */
import { isValidNumber } from '../../src/registers/cl/register.ts';
import { pickByShare, writeDayFirst } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import { es, makeName } from './es.ts';

const dialect = { delimiter: ';', quote: null, encoding: 'utf-8' } as const;
const format = { dialect, bom: true, lineEnd: '\r\n' } as const;
const name = '2026-sociedades-por-fecha-rut-constitucion.csv';
const file = { register: 'cl', table: 'companies', name, digits: 6, format } as const;

export const generateFile = tableGenerator(file, (chance, serial, index) => {
  const [form = '', ending = ''] = pickByShare(chance, es.shares('forms CL'));
  const [city = '', region = ''] = chance.pick(es.rows('places CL'));
  const date = chance.date(2026, 2026);
  const day = writeDayFirst(date, '-');
  return {
    ID: String(index + 1),
    RUT: chance.is(0.002) ? `77${serial}-X` : completeRut(`77${serial}`),
    'Razon Social': makeName(chance, ending),
    'Fecha de actuacion (1era firma)': day,
    'Fecha de registro (ultima firma)': day,
    'Fecha de aprobacion x SII': day,
    Anio: date.slice(0, 4),
    Mes: es.words('months')[Number(date.slice(5, 7)) - 1] ?? '',
    'Comuna Tributaria': city,
    'Region Tributaria': region,
    'Codigo de sociedad': form,
    'Tipo de actuacion': 'CONSTITUCIÓN',
    Capital: String(chance.between(1, 100) * 100_000),
    'Comuna Social': city,
    'Region Social': region,
  };
});

function completeRut(body: string): string {
  return [...'0123456789K'].map((digit) => `${body}-${digit}`).find(isValidNumber) ?? `${body}-0`;
}
