/** Finland: the Business Information System (YTJ), version 3 of the open data of the patent and registration office. */
import { defineRegister } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { splitWords } from '../parsing.ts';
import { mapCompany } from './map.ts';
import { checkNumber } from './number.ts';

export const fi = defineRegister<null>({
  id: 'fi',
  country: 'FI',
  name: 'Business Information System',
  nativeName: 'Yritys- ja yhteisötietojärjestelmä (YTJ)',
  publisher: 'Patentti- ja rekisterihallitus (PRH)',
  licence: 'CC BY 4.0',
  attribution: 'Patentti- ja rekisterihallitus (PRH), YTJ, CC BY 4.0',
  sourceUrl: 'https://avoindata.prh.fi/opendata-ytj-api/v3/all_companies',
  companyPage: 'https://tietopalvelu.ytj.fi/yritys/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: [{ url: 'https://avoindata.prh.fi/opendata-ytj-api/v3/all_companies' }],
    size: { min: 30_000_000, max: 8_000_000_000 },
    origin: { readIn: 'public clients of the YTJ API, version 3', ...UNTRIED },
  },
  files: ['all_companies'],
  minimumRows: 650_000,
  vatNumber: /^FI(\d{8})$/,
  numberColumns: ['businessId'],
  letters: /[åäöšž]/iu,
  sources: [
    {
      kind: 'tree',
      name: 'companies',
      format: { type: 'json' },
      required: ['businessId', 'names'],
      keys: splitWords(
        'businessId euId names mainBusinessLine website companyForms companySituations registeredEntries addresses ' +
          'tradeRegisterStatus status registrationDate endDate lastModified',
      ),
      map: mapCompany,
    },
  ],
  writeNumber: (number) => number.replace(/^(\d{7})-?(\d)$/, '$1-$2'),
  checkNumber,
});
