/** Invented legal persons in the format of the reduced register. */
import { isValidNumber } from '../../src/registers/pe/register.ts';
import { completeNumber, pickByShare } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import { es, makeName } from './es.ts';

const format = { dialect: { delimiter: '|', quote: null, encoding: 'iso-8859-1' } } as const;
const name = 'padron_reducido_ruc.zip';
const file = { register: 'pe', table: 'taxpayers', name, packing: 'zip', digits: 7, format } as const;

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = ''] = pickByShare(chance, es.shares('forms PE'));
  const [status = ''] = pickByShare(chance, es.shares('statuses PE'));
  const [place = '', kind = '', zone = ''] = chance.pick(es.rows('places PE'));
  return {
    RUC: completeNumber(isValidNumber, `209${serial}`, chance.is(0.002)),
    'NOMBRE O RAZÓN SOCIAL': makeName(chance, ` ${form}`),
    'ESTADO DEL CONTRIBUYENTE': status,
    'CONDICIÓN DE DOMICILIO': chance.pick(['HABIDO', 'HABIDO', 'NO HABIDO', '-']),
    UBIGEO: place,
    'TIPO DE VÍA': chance.pick(['AV.', 'JR.', 'CAL.', '----']),
    'NOMBRE DE VÍA': chance.pick(es.words('streets')).toUpperCase(),
    'CÓDIGO DE ZONA': kind,
    'TIPO DE ZONA': zone,
    NÚMERO: String(chance.between(1, 2999)),
    INTERIOR: chance.is(0.1) ? String(chance.between(100, 900)) : '-',
    LOTE: '-',
    DEPARTAMENTO: chance.is(0.1) ? String(chance.between(100, 900)) : '-',
    MANZANA: chance.is(0.1) ? 'B' : '-',
    KILÓMETRO: '-',
  };
});
