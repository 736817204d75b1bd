/** Invented entities in the format of the CSV export, with the titles of the columns. */
import { pickByShare } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import {
  formsOf,
  makeAgent,
  makeFormed,
  makeName,
  makePerson,
  makePlace,
  type Place,
  writePerson,
  writePlace,
} from './us.ts';

const format = { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' } } as const;
const file = {
  register: 'us-ny',
  table: 'entities',
  name: 'Active_Corporations___Beginning_1800.csv',
  digits: 7,
  format,
};

const writeAt = (prefix: string, place: Place) =>
  writePlace(place, [
    `${prefix} Address 1`,
    `${prefix} Address 2`,
    `${prefix} City`,
    `${prefix} State`,
    `${prefix} Zip`,
  ]);

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, formsOf('NY'));
  const [name, place] = [makeName(chance, ending), makePlace(chance, 'NY')];
  const [year, month, day] = chance.date(1920, 2026).split('-');
  const isOwn = chance.is(0.6);
  return {
    'DOS ID': String(Number(serial) + 1),
    'Current Entity Name': name,
    'Initial DOS Filing Date': `${month}/${day}/${year}`,
    County: place.county,
    Jurisdiction: form.startsWith('DOMESTIC') ? 'NEW YORK' : makeFormed(chance),
    'Entity Type': form,
    ...(chance.is(0.95) && {
      'DOS Process Name': isOwn ? name : chance.pick([writePerson(makePerson(chance)), makeAgent(chance)]),
      ...writeAt('DOS Process', isOwn ? place : makePlace(chance, 'NY')),
    }),
    ...(chance.is(0.2) && { 'CEO Name': writePerson(makePerson(chance)), ...writeAt('CEO', makePlace(chance, 'NY')) }),
    ...(chance.is(0.1) && { 'Registered Agent Name': makeAgent(chance), ...writeAt('Registered Agent', place) }),
    ...(chance.is(0.1) && { 'Location Name': name, ...writeAt('Location', place) }),
  };
});
