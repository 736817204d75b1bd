/**
 * Ukraine: legal entities of the Unified State Register, in the current XML layout and the one from before February
 * 2022.
 */
import { defineRegister } from '../contract.ts';
import { KEYS } from './keys.ts';
import { mapSubject } from './map.ts';
import { generateSubjects } from './synthetic.ts';

export const ua = defineRegister<null>({
  id: 'ua',
  country: 'UA',
  name: 'Unified State Register of Legal Entities',
  nativeName: 'Єдиний державний реєстр юридичних осіб, фізичних осіб-підприємців та громадських формувань',
  publisher: 'Міністерство юстиції України',
  licence: 'CC BY 4.0',
  sourceUrl: 'https://data.gov.ua/dataset/a1799820-195b-4982-8141-6e84f58103e7',
  updates: 'weekly',
  files: ['UO.zip'],
  minimumRows: 1_600_000,
  sources: ['SUBJECT', 'RECORD'].map((element) => ({
    kind: 'tree',
    name: element === 'SUBJECT' ? 'UO' : 'EDR_UO (before 2022)',
    format: { type: 'xml', element },
    // EDRPOU excludes the file of sole entrepreneurs (FOP). In the current layout RECORD is an id inside a SUBJECT; it
    // has none of these keys, so that it is not mistaken for a record of the old layout.
    required: ['NAME', 'EDRPOU', 'STAN'],
    keys: KEYS,
    map: mapSubject,
  })),
  writeNumber: (number) => number.padStart(8, '0'),
  readCodes: () => null,
  generate: (rows, seed) => ({
    name: 'UO.zip',
    packing: 'zip',
    content: {
      type: 'xml',
      encoding: 'windows-1251',
      start: '<?xml version="1.0" encoding="windows-1251"?>\n<SUBJECTS>\n',
      end: '</SUBJECTS>\n',
      element: 'SUBJECT',
      values: { [Symbol.iterator]: () => generateSubjects(rows, seed) },
    },
  }),
});
