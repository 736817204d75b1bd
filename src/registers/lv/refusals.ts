/** Files about persons, which the same publisher offers. They are recognized only to say what to import instead. */
import { refuseTable } from '../contract.ts';

const ADVICE = 'Import register.csv from https://dati.ur.gov.lv/register/register.csv';
const CSV = { delimiter: ';', quote: '"', encoding: 'utf-8' } as const;

export const REFUSED_SOURCES = [
  refuseTable(
    'beneficial owners',
    CSV,
    ['legal_entity_registration_number', 'forename', 'surname'],
    `this file lists beneficial owners, not companies. ${ADVICE}`,
  ),
  refuseTable(
    'officers',
    CSV,
    ['at_legal_entity_registration_number', 'position'],
    `this file lists officers, not companies. ${ADVICE}`,
  ),
  refuseTable(
    'members and stockholders',
    CSV,
    ['at_legal_entity_registration_number', 'number_of_shares'],
    `this file lists members or stockholders, not companies. ${ADVICE}`,
  ),
];
