/** Names, persons and places of the registers of the states. */
import type { Chance } from '../chance.ts';
import { readLists } from '../lists.ts';
import type { MadeRow } from '../tables.ts';

export const us = readLists('us');

/** `BLUEBIRD "ROOFING", INC.` */
export function makeName(chance: Chance, ending: string): string {
  const trade = chance.pick(us.words('trades'));
  const name = `${chance.pick(us.words('words'))} ${chance.pick(us.words('words'))} ${chance.is(0.02) ? `"${trade}"` : trade}`;
  return `${name.toUpperCase()}${ending}`;
}

export interface Person {
  readonly first: string;
  readonly middle: string;
  readonly last: string;
}

export function makePerson(chance: Chance): Person {
  const middle = chance.is(0.5) ? chance.pick([...'ABCDEFGHJKLMRST']) : '';
  return { first: chance.pick(us.words('first')), middle, last: chance.pick(us.words('last')) };
}

export const writePerson = ({ first, middle, last }: Person) =>
  [first, middle, last]
    .filter((part) => part !== '')
    .join(' ')
    .toUpperCase();

export const makeAgent = (chance: Chance) => chance.pick(us.words('agents'));

/** Where a company of another state was formed. */
export const makeFormed = (chance: Chance) => chance.pick(us.words('formed'));

/** The forms of a state by their share, each with the end of its names. */
export const formsOf = (state: string) => us.shares(`forms ${state}`);

export interface Place {
  readonly street: string;
  readonly unit: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly county: string;
}

export function makePlace(chance: Chance, state: string): Place {
  const [city = '', zip = '', county = ''] = chance.pick(us.rows(`places ${state}`));
  const street = `${chance.between(1, 4999)} ${chance.pick(us.words('streets'))}`;
  const unit = chance.is(0.2) ? `SUITE ${chance.between(100, 999)}` : '';
  return { street, unit, city, state, zip, county };
}

/** The cells of a place, by the columns of its street, unit, city, state and zip. */
export function writePlace(place: Place, columns: readonly [string, string, string, string, string]): MadeRow {
  const [street, unit, city, state, zip] = columns;
  return { [street]: place.street, [unit]: place.unit, [city]: place.city, [state]: place.state, [zip]: place.zip };
}
