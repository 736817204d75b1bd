/** Ukraine: the Unified State Register, legal entities, in its present XML and in that of before February 2022. */
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
    // Sole entrepreneurs (FOP) have no EDRPOU; in the present layout RECORD is a mere id inside a SUBJECT.
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
