/** Ukraine: legal entities of the Unified State Register, in the current XML layout and the two from before 2022. */
import { defineRegister, refuseTree, type TreeSource } from '../contract.ts';
import { UNTRIED } from '../fetch-plan.ts';
import { splitWords } from '../parsing.ts';
import { mapSubject } from './map.ts';
import { checkNumber } from './number.ts';
import { readListed } from './people.ts';

/** The keys of all layouts. Their order inside a record is not known, so none is assumed. */
const KEYS = splitWords(
  'RECORD NAME SHORT_NAME OPF EDRPOU STAN ADDRESS KVED BOSS FOUNDERS BENEFICIARIES SUPERIOR_MANAGEMENT SIGNERS ' +
    'AUTHORIZED_CAPITAL REGISTRATION BRANCHES TERMINATION_STARTED_INFO BANKRUPTCY_READJUSTMENT_INFO PREDECESSORS ' +
    'ASSIGNEES TERMINATED_INFO TERMINATION_CANCEL_INFO EXCHANGE_DATA FOUNDING_DOCUMENT_NUM PURPOSE STATUTE ' +
    'MANAGING_PAPER EXECUTIVE_POWER MEMBERS VP_DATES ACTIVITY_KINDS CONTACTS CURRENT_AUTHORITY @RECORD',
);

function entities(name: string, element: string): TreeSource<null> {
  const required = ['NAME', 'EDRPOU', 'STAN'];
  const format = { type: 'xml', element } as const;
  return { kind: 'tree', name, format, required, keys: KEYS, map: mapSubject };
}

/** Files with records that have no EDRPOU number. */
const NOT_ENTITIES =
  'this file does not list legal entities, but sole entrepreneurs (FOP) or other records without an EDRPOU number. Import UO.zip';

export const ua = defineRegister<null>({
  id: 'ua',
  country: 'UA',
  name: 'Unified State Register of Legal Entities',
  nativeName: 'Єдиний державний реєстр юридичних осіб, фізичних осіб-підприємців та громадських формувань',
  publisher: 'Міністерство юстиції України',
  licence: 'CC BY 4.0',
  attribution: 'Міністерство юстиції України, ЄДР, CC BY 4.0',
  sourceUrl: 'https://data.gov.ua/dataset/a1799820-195b-4982-8141-6e84f58103e7',
  updates: 'weekly',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.ua/api/3/action',
    packages: [{ package: 'a1799820-195b-4982-8141-6e84f58103e7', resources: [{ match: /(^|\/)uo\.zip$/i }] }],
    size: { min: 150_000_000, max: 2_000_000_000 },
    origin: { readIn: 'pulsarpoint/companycollect, companies/analysis/ukraine', ...UNTRIED },
  },
  files: ['UO.zip'],
  minimumRows: 1_600_000,
  numberColumns: ['EDRPOU'],
  letters: /[а-яґєії]/iu,
  sources: [
    entities('UO, EDR_UO_FULL', 'SUBJECT'),
    // In the current layout RECORD is an id inside a SUBJECT. It has none of the required keys, so that it is not
    // mistaken for a record of the old layout.
    entities('EDR_UO (before 2022)', 'RECORD'),
    refuseTree('FOP', { type: 'xml', element: 'SUBJECT' }, ['STAN'], NOT_ENTITIES),
    refuseTree('EDR_FOP (before 2022)', { type: 'xml', element: 'RECORD' }, ['FIO'], NOT_ENTITIES),
  ],
  ownersApart: true,
  writeNumber: (number) => number.padStart(8, '0'),
  checkNumber,
  recordParties: readListed,
});
