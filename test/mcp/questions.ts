/**
 * Questions that people ask assistants, with the tool and arguments that answer them, and what the answer says. The companies are
 * those of the samples with 30 rows.
 */
export interface Question {
  readonly question: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** In the text of the result. */
  readonly answer: RegExp;
}

/** The registers that the questions are about. */
export const SAMPLE_REGISTERS = ['gb', 'fr', 'ee', 'lv', 'no', 'sg', 'gleif'] as const;
export const SAMPLE_ROWS = 30;

const BREWING = '2ef7837e-31d2-5809-b174-2fe37edd5b2d';
const BUILDERS = '77abc3f8-6029-5450-bbbc-1031222d49a3';
const HOLDING = 'a821fd70-3391-5c84-b88d-907bea0b60d8';
const ENERGIE = '027becd3-a19f-57e8-ba02-91f041a3c6b5';
const ESTATE = 'd3bf84d3-0fcb-5953-a94b-c1c88aa9ed26';
const BANYAN = '18dbe3c8-d350-5d71-ad66-e6d0597ecc28';
const LEI = '984500133651753X7K66';

function search(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'search_companies', given, answer };
}

function match(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'match_company', given, answer };
}

function read(question: string, id: string, answer: RegExp, more: Question['given'] = {}): Question {
  return { question, tool: 'get_company', given: { id, ...more }, answer };
}

function changes(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'recent_changes', given, answer };
}

function check(question: string, given: Question['given'], answer: RegExp): Question {
  return { question, tool: 'check_registration_number', given, answer };
}

function verify(question: string, id: string, answer: RegExp): Question {
  return { question, tool: 'verify_provenance', given: { id }, answer };
}

function countries(question: string, answer: RegExp): Question {
  return { question, tool: 'list_countries', given: {}, answer };
}

export const questions: readonly Question[] = [
  search(
    'Is there a company called Southern Kestrel Brewing?',
    { q: 'Southern Kestrel Brewing' },
    /^1 company matches/,
  ),
  search('Find breweries in the UK.', { q: 'brewing', country: 'GB' }, /^2 companies match/),
  search(
    'Which company has the UK number 13618854?',
    { q: '13618854', country: 'GB' },
    /⟦SOUTHERN KESTREL BREWING LTD⟧/,
  ),
  search('Look up Scottish company SC314567.', { q: 'SC314567', country: 'GB' }, /⟦H\.X\. FARRELL CATERING LTD\.⟧/),
  search(
    'Which British companies are in liquidation?',
    { country: 'GB', status: 'in_liquidation' },
    /^2 companies match/,
  ),
  search('Find a company with Sinclair in its name.', { q: 'sinclair' }, /O\.V\. SINCLAIR ARCHITECTS LTD/),
  search('List companies named McAllister.', { q: 'mcallister' }, /^2 companies match/),
  search('Show the second page of British companies.', { country: 'GB', page: 2 }, /Page 2 of 4/),
  search('How many Estonian companies do you have?', { country: 'EE' }, /^31 companies match/),
  search('How many of them come from the Estonian register?', { country: 'EE', register: 'ee' }, /^30 companies match/),
  search('Find "Tähtveski & Pärn".', { q: 'Tähtveski & Pärn' }, /⟦Tähtveski & Pärn Holding OÜ⟧/),
  search(
    'I can only type tahtveski parn without accents: find Tahtveski.',
    { q: 'tahtveski' },
    /⟦Tähtveski & Pärn Holding OÜ⟧/,
  ),
  search('Which Estonian companies do construction (ehitus)?', { q: 'ehitus', country: 'ee' }, /^2 companies match/),
  search('Find the Estonian company with registry code 11187852.', { q: '11187852', country: 'EE' }, /Tähtveski/),
  search('Find non-profits in Estonia.', { country: 'EE', legalForm: 'Mittetulundusühing' }, /^1 company matches/),
  search(
    'Which Latvian associations are active?',
    { country: 'LV', legalForm: 'Biedrība', status: 'active' },
    /LV number/,
  ),
  search('Which company has the VAT number LV46057877093?', { q: 'LV46057877093' }, /Priede Rudzi auto/),
  search('Find Latvian company 40434818089.', { q: '40434818089' }, /RASA GAISMA PARKS/),
  search('Who is SIREN 987 753 720?', { q: '987 753 720', country: 'FR' }, /⟦AMANDIER ENERGIE 58⟧/),
  search(
    'Which French energy companies were dissolved?',
    { q: 'energie', country: 'FR', status: 'dissolved' },
    /AMANDIER ENERGIE 58/,
  ),
  search(
    'Find French SAS companies.',
    { country: 'FR', legalForm: 'SAS, société par actions simplifiée' },
    /companies match/,
  ),
  search('Find Norwegian organisation 800237572.', { q: '800 237 572', country: 'NO' }, /⟦INNSTAD DATA NÆSS AS⟧/),
  search('Search for "naess" in Norway.', { q: 'næss', country: 'NO' }, /INNSTAD DATA NÆSS AS/),
  search(
    'Which Norwegian companies are limited companies (AS)?',
    { country: 'NO', legalForm: 'Aksjeselskap' },
    /^4 companies match/,
  ),
  search('Find Singapore companies named Banyan.', { q: 'banyan', country: 'SG' }, /^3 companies match/),
  search(
    'Which active Singapore companies do renovation?',
    { q: 'renovation', country: 'SG', status: 'active' },
    /^3 companies match/,
  ),
  search(`Who owns the LEI ${LEI}?`, { q: LEI }, /⟦Castell Helvetia Capital GmbH⟧ DE/),
  search('Which Japanese entities are in the LEI index?', { country: 'JP', register: 'gleif' }, /^7 companies match/),
  search(
    'Find global equity funds in the United States.',
    { q: 'global equity fund', country: 'US' },
    /^2 companies match/,
  ),
  search('Is there a company named Zzyzx Quux?', { q: 'zzyzx quux' }, /^No company matches/),

  match(
    'An invoice is from "Southern Kestral Brewing Limited". Who is that?',
    { name: 'Southern Kestral Brewing Limited' },
    /^match: .*^1\. 0\.\d+ match: ⟦SOUTHERN KESTREL BREWING LTD⟧/ms,
  ),
  match(
    'Which Kestrel brewery is in Swansea?',
    { name: 'Kestrel Brewing', country: 'GB', city: 'Swansea' },
    /^ambiguous: .*⟦SOUTHERN KESTREL BREWING LTD⟧.*⟦It is in SWANSEA⟧/s,
  ),
  match(
    'Is "Amandier Energie", SIREN 987 753 720, the company I mean?',
    { name: 'Amandier Energie', registrationNumber: '987 753 720' },
    /^match: .*⟦It has the number 987 753 720⟧/s,
  ),
  match('Which company is "Zzyzx Quux Partners"?', { name: 'Zzyzx Quux Partners' }, /^none: ⟦No company fits/),

  read('Where is Southern Kestrel Brewing registered?', BREWING, /Address: ⟦[^⟧]*SWANSEA/i),
  read('When was Southern Kestrel Brewing founded?', BREWING, /Registered: ⟦2023-11-15⟧/),
  read('Is Emerald Eagle Builders still active?', BUILDERS, /in_liquidation/),
  read('What does the register itself say about Emerald Eagle Builders?', BUILDERS, /in_liquidation/, {
    sourceData: true,
  }),
  read('What is the legal form of Tähtveski & Pärn Holding?', HOLDING, /Legal form: ⟦Osaühing⟧/),
  read('Is Amandier Energie still in business?', ENERGIE, /dissolved/),
  read('What does Innstad Data Næss do?', ESTATE, /Activity: ⟦/),
  read('Give me everything about Banyan Pandan Renovation.', BANYAN, /BANYAN PANDAN RENOVATION/, { sourceData: true }),

  countries('Which countries can you search?', /countries: .*GB.*NO.*SG/),
  countries('How current is the British data?', /gb \(GB\): .* as of 2026-09-01/),
  countries('Do you have German companies?', /countries: .*DE/),
  countries(
    'Which registers do you use, and are they complete?',
    /gleif \(all countries\): Global LEI Index, 30 companies/,
  ),
  countries('Is Poland planned?', /Planned: .*PL/),

  changes('What changed recently?', {}, /the register was loaded/),
  changes(
    'What changed in the UK since January?',
    { since: '2026-01-01', country: 'GB' },
    /gb \(GB\): the register was loaded/,
  ),
  changes('Which companies were added in Norway this month?', { country: 'NO', type: 'added' }, /^No changes/),
  changes('Which registers were loaded for the first time?', { since: '2020-01-01', type: 'loaded' }, /changes/),
  changes('Has anything changed about Southern Kestrel Brewing?', { companyId: BREWING }, /^No changes/),
  changes(
    'What changed in the Singapore register since 1 March 2026?',
    { since: '2026-03-01', register: 'sg' },
    /sg \(SG\)/,
  ),

  check(
    'Is 11187852 a valid Estonian registry code?',
    { number: '11187852', country: 'EE' },
    /ee: registry code 11187852: valid/,
  ),
  check(
    'Is 923 609 017 a valid Norwegian number?',
    { number: '923 609 017', country: 'no' },
    /no: .*: invalid check digit/,
  ),
  check(`Is ${LEI} a valid LEI?`, { number: LEI }, /gleif: LEI 984500133651753X7K66: valid/),
  check('Is FR83404833048 a plausible VAT number?', { number: 'FR83404833048' }, /fr: SIREN 404833048: valid/),
  check('Which country could 45274649 belong to?', { number: '45274649' }, /cz: IČO 45274649: valid/),
  check(
    'Is 445790 a UK company number?',
    { number: '445790', country: 'GB' },
    /gb: company number 00445790: format only/,
  ),
  check('Can "hello" be a company number?', { number: 'hello' }, /does not have the form/),

  verify(
    'How do you know that about Southern Kestrel Brewing?',
    BREWING,
    /row \d+, sha256:[0-9a-f]{64}, as of 2026-09-01/,
  ),
  verify('Which file does the Amandier Energie record come from?', ENERGIE, /source ⟦.+⟧ row \d+/),
  verify('Under which licence is the Innstad Data Næss record published?', ESTATE, /licence ⟦/),
  verify('Can I prove the Banyan record myself?', BANYAN, /To check it/),
];
