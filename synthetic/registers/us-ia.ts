/** Invented entities in the format of the data hub. */
import { pickByShare } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import { formsOf, makeAgent, makeName, makePerson, makePlace, type Place, writePerson, writePlace } from './us.ts';

const format = { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' } } as const;
const name = 'active_iowa_business_entities.zip';
const file = { register: 'us-ia', table: 'entities', name, packing: 'zip', digits: 6, format } as const;

function writeAt(prefix: string, place: Place, [longitude, latitude]: readonly [string, string]) {
  const at = (part: string) => `${prefix}_${part}`;
  return {
    ...writePlace(place, [at('address_1'), at('address_2'), at('city'), at('state'), at('zip')]),
    [at('latitude')]: latitude,
    [at('longitude')]: longitude,
    [at('location')]: `POINT(${longitude} ${latitude})`,
  };
}

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, formsOf('IA'));
  const name = makeName(chance, ending);
  const point = () => [`-93.${chance.between(10, 99)}`, `41.${chance.between(10, 99)}`] as const;
  return {
    corp_number: serial,
    legal_name: name,
    corporation_type: form,
    effective_date: chance.date(1950, 2026),
    registered_agent: chance.is(0.7) ? writePerson(makePerson(chance)) : makeAgent(chance),
    ...writeAt('ra', makePlace(chance, 'IA'), point()),
    home_office: chance.is(0.1) ? name : '',
    ...writeAt('ho', makePlace(chance, 'IA'), point()),
    ho_country: 'USA',
  };
});
