/** Invented businesses, with one associated name or address each. */
import { pickByShare } from '../chance.ts';
import { tableGenerator } from '../tables.ts';
import { formsOf, makeAgent, makeFormed, makeName, makePerson, makePlace, writePlace } from './us.ts';

const format = { dialect: { delimiter: ',', quote: '"', encoding: 'utf-8' } } as const;
const file = { register: 'us-or', table: 'entities', name: 'Active_Businesses.csv', digits: 7, format };

export const generateFile = tableGenerator(file, (chance, serial) => {
  const [form = '', ending = ''] = pickByShare(chance, formsOf('OR'));
  const kind = chance.pick(['PRINCIPAL PLACE OF BUSINESS', 'MAILING ADDRESS', 'REGISTERED AGENT']);
  const { first, middle, last } = makePerson(chance);
  const isPerson = chance.is(0.6);
  return {
    registry_number: `1${serial}`,
    business_name: makeName(chance, ending),
    entity_type: form,
    registry_date: `${chance.date(1950, 2026)}T00:00:00`,
    associated_name_type: kind,
    ...(kind === 'REGISTERED AGENT' &&
      (isPerson
        ? { first_name: first, middle_name: middle, last_name: last }
        : { not_of_record_entity: makeAgent(chance) })),
    ...writePlace(makePlace(chance, 'OR'), ['address', 'address_continued', 'city', 'state', 'zip']),
    jurisdiction: form.startsWith('DOMESTIC') ? 'OREGON' : makeFormed(chance),
  };
});
