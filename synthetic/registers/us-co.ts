/** Invented entities in the format of the CSV export. */
import { pickByShare } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import { formsOf, makeAgent, makeName, makePerson, makePlace, type Place, us, writePlace } from './us.ts';

const format = { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' } } as const;
const file = { register: 'us-co', table: 'entities', name: 'Business_Entities_in_Colorado.csv', digits: 7, format };

const writeAt = (prefix: string, place: Place) => ({
  ...writePlace(place, [
    `${prefix}address1`,
    `${prefix}address2`,
    `${prefix}city`,
    `${prefix}state`,
    `${prefix}zipcode`,
  ]),
  [`${prefix}country`]: 'US',
});

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, formsOf('CO'));
  const [status = ''] = pickByShare(chance, us.shares('statuses CO'));
  const [year, month, day] = chance.date(1950, 2026).split('-');
  const { first, middle, last } = makePerson(chance);
  const suffix = status === 'Delinquent' ? `, Delinquent May ${chance.between(1, 28)}, 2022` : '';
  return {
    entityid: `${year}${serial}`,
    entityname: `${makeName(chance, ending)}${suffix}`,
    ...writeAt('principal', makePlace(chance, 'CO')),
    ...(chance.is(0.3) && writeAt('mailing', makePlace(chance, 'CO'))),
    entitystatus: status,
    jurisdictonofformation: form.startsWith('D') ? 'CO' : chance.pick(['DE', 'TX', 'NV']),
    entitytype: form,
    ...(chance.is(0.5)
      ? { agentfirstname: first, agentmiddlename: middle, agentlastname: last }
      : { agentorganizationname: makeAgent(chance) }),
    ...writeAt('agentprincipal', makePlace(chance, 'CO')),
    entityformdate: `${month}/${day}/${year}`,
  };
});
