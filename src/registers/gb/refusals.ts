/** Files of Companies House that cannot be imported. They are recognized only to say what to import instead. */
import { refuseTree } from '../contract.ts';

export const REFUSED_SOURCES = [
  refuseTree(
    'PSC snapshot',
    { type: 'json' },
    ['company_number', 'data'],
    'this file is a snapshot of persons with significant control (PSC): it lists owners, not companies. Import BasicCompanyDataAsOneFile-YYYY-MM-01.zip from https://download.companieshouse.gov.uk/en_output.html',
  ),
];
