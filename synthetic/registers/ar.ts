/** Invented entities in the layout of 27 columns, with one activity each. */
import { isValidNumber } from '../../src/registers/ar/register.ts';
import { type Chance, completeNumber, pickByShare } from '../chance.ts';
import { type MadeRow, tableGenerator } from '../tables.ts';
import { es, makeName } from './es.ts';

const dialect = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;
const format = { dialect, bom: true, lineEnd: '\r\n' } as const;
const name = 'registro-nacional-sociedades-202610.zip';
const file = { register: 'ar', table: 'entities', name, packing: 'zip', digits: 7, format } as const;

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, es.shares('forms AR'));
  const [code = '', label = ''] = chance.pick(es.rows('activities AR'));
  return {
    cuit: completeNumber(isValidNumber, `${chance.pick(['30', '33', '34'])}7${serial}`, chance.is(0.002)),
    razon_social: makeName(chance, ` ${ending}`),
    fecha_hora_contrato_social: `${chance.date(1950, 2026)}-00:00`,
    tipo_societario: chance.is(0.01) ? '' : form,
    fecha_hora_actualizacion: chance.is(0.1) ? '' : `${chance.date(2010, 2026)}-14:31`,
    ...makePlace(chance, 'dom_legal'),
    ...(chance.is(0.99) && makePlace(chance, 'dom_fiscal')),
    ...(chance.is(0.9) && {
      actividad_codigo: code,
      actividad_descripcion: label,
      actividad_orden: '1',
      actividad_estado: 'AC',
      actividad_vigencia: chance.date(2013, 2026).slice(0, 7).replace('-', ''),
    }),
  };
});

function makePlace(chance: Chance, prefix: string): MadeRow {
  const [province = '', city = '', postCode] = chance.pick(es.rows('places AR'));
  return {
    [`${prefix}_provincia`]: province.toUpperCase(),
    [`${prefix}_localidad`]: city.toUpperCase(),
    [`${prefix}_calle`]: chance.pick(es.words('streets')).toUpperCase(),
    [`${prefix}_numero`]: String(chance.is(0.05) ? 0 : chance.between(1, 4999)),
    [`${prefix}_piso`]: chance.is(0.3) ? `0${chance.between(1, 9)}` : '',
    [`${prefix}_departamento`]: chance.is(0.2) ? chance.pick([...'ABCD']) : '',
    [`${prefix}_cp`]: ` ${postCode}`,
    [`${prefix}_estado_domicilio`]: chance.pick(['DECLARADO', 'CONFIRMADO', 'NO CONFIRMADO']),
  };
}
