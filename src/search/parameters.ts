import Type, { type Static } from 'typebox';
import { entityStatuses } from '../base/entity-status.ts';
import { MAX_NAME_LENGTH } from '../base/entity-summary.ts';
import { fail } from '../base/errors.ts';
import { fold } from '../base/fold.ts';
import type { ActivityType } from '../base/search-keys.ts';
import { compileReader } from '../base/validation.ts';
import { legalFormClassNames } from '../registers/classifications/elf.ts';
import { type SearchQuery, type SortOrder, sortOrders } from './search.ts';
import { listWords, MAX_WORDS } from './words.ts';

/** The parameters of a search. The schema validates them and is in the contract; nothing is guessed or rounded. */
const DEFAULT_PAGE_SIZE = 25;
const ACTIVITY_TYPES = ['unlicensed', 'licensed'] as const satisfies readonly ActivityType[];
const DEFAULT_ACTIVITY_TYPE: ActivityType = 'unlicensed';
const DEFAULT_SORT = 'name';
export const DEFAULT_PAGE = 1;
/** A page number can have any number of digits. All numbers above this limit mean a page after the last one. */
export const MAX_PAGE = Number.MAX_SAFE_INTEGER;
export const PAGE_DESCRIPTION = 'Page number, starting at 1, of any size. A page after the last one is empty.';

/** PostgreSQL cannot store U+0000, so no record contains it. */
export const NO_NUL = {
  pattern: '^[^\\u0000]*$',
  errorMessage: { pattern: 'must not contain the character U+0000' },
} as const;

/** A value that a field of a result must have exactly. */
const exact = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, ...NO_NUL, description, examples: [example] }));

const day = (description: string, example: string) => {
  const errorMessage = 'must be a date such as 2024-01-31 (year, month, day); omit it for no limit';
  return Type.Optional(Type.String({ format: 'date', errorMessage, description, examples: [example] }));
};

export const SearchParameters = Type.Object(
  {
    q: Type.Optional(
      Type.String({
        maxLength: MAX_NAME_LENGTH,
        ...NO_NUL,
        description:
          'Part of a company name or of a registration number, or all of it. Case, accents, invisible characters and blanks at ' +
          'the start and the end are ignored, several blanks count as one, and all kinds of apostrophes, quotation marks and ' +
          'dashes are equal. If the value has only letters, digits and separators ' +
          '(space, `.`, `-`, `/`) and at least one digit, it is also compared with numbers after removing the separators ' +
          'from both; a value that has separators itself needs at least five letters and digits for this. In countries ' +
          'where the VAT number contains the national number, a complete VAT number with its country prefix finds the ' +
          'company, too. An empty value matches every company.',
        examples: ['alpha', '00445790', 'müller & co'],
      }),
    ),
    words: Type.Optional(
      Type.String({
        maxLength: MAX_NAME_LENGTH,
        ...NO_NUL,
        description:
          `Up to ${MAX_WORDS} words in any order. A company matches if each of them is a word, the beginning of one or a part of one in its ` +
          'current name, in a former or other name, in one of these in Latin letters, or in a registration number. Case, accents, signs and ' +
          'repeated words are ignored, and a value without a letter or digit matches every company. With `words`, results are sorted by ' +
          '`relevance` unless `sort` says otherwise. See [search by words](/docs/paging#what-words-finds).',
        examples: ['holdings albion', 'berehynia'],
      }),
    ),
    country: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 2,
        pattern: '^[A-Za-z]{2}$',
        errorMessage:
          'must be a two-letter country code (ISO 3166-1 alpha-2), such as GB; omit it to search all countries',
        description: 'Two-letter country code (ISO 3166-1 alpha-2). Case is ignored.',
        examples: ['GB'],
      }),
    ),
    register: exact('Identifier of the register, exactly as in the `register` field of a result.', 'gb'),
    jurisdiction: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2}(?:-[A-Za-z0-9]{1,3})?$',
        maxLength: 6,
        errorMessage: 'must be a state or province such as US-NY (ISO 3166-2), or a two-letter country code',
        description:
          'Under whose law the company was formed, as in the `jurisdiction` field of a result: a state or province (ISO 3166-2), or a ' +
          'country without such (ISO 3166-1 alpha-2). Case is ignored. Companies whose register does not say it are left out.',
        examples: ['US-NY'],
      }),
    ),
    status: Type.Optional(
      Type.Enum([...entityStatuses], {
        type: 'string',
        description:
          'Normalized [status](/docs/status), as in the `status` field of a result. New values may be added.',
        examples: ['active'],
      }),
    ),
    legalForm: exact(
      'National legal form, exactly as in the `legalForm` field of a result.',
      'Private Limited Company',
    ),
    legalFormCode: exact(
      'Code of the national legal form, exactly as in `registry.legalForm.code` of a record. Registers use the same codes for ' +
        'different legal forms, so combine it with `country` or `register`.',
      'AS',
    ),
    elf: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9]{4}(?:,[A-Za-z0-9]{4})*$',
        maxLength: 500,
        errorMessage: 'must be ELF codes of four letters and digits, separated by commas, such as H0PO',
        description:
          'Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275), as in the `elf` field of a ' +
          'result, or several, separated by commas.',
        examples: ['H0PO', 'H0PO,B6ES'],
      }),
    ),
    legalFormClass: Type.Optional(
      Type.String({
        pattern: `^(?:${legalFormClassNames.join('|')})(?:,(?:${legalFormClassNames.join('|')}))*$`,
        maxLength: 500,
        errorMessage: `must be one of ${legalFormClassNames.join(', ')}, or several, separated by commas`,
        description:
          `[Class of the legal form](/docs/legal-forms#classes), the same in all countries: ${legalFormClassNames.map((name) => `\`${name}\``).join(', ')}, or ` +
          'several, separated by commas. New values may be added.',
        examples: ['limited_company', 'limited_company,public_company'],
      }),
    ),
    activity: exact(
      'National activity: its code, its label in any language of the register, or the complete value as the source writes it, each exactly as published.',
      '62012',
    ),
    activityType: Type.Optional(
      Type.Enum([...ACTIVITY_TYPES], {
        type: 'string',
        default: DEFAULT_ACTIVITY_TYPE,
        description: 'The kind of activities that `activity` is compared with.',
      }),
    ),
    isic: Type.Optional(
      Type.String({
        pattern: '^(?:[A-Ua-u]|[0-9]{2,4})(?:,(?:[A-Ua-u]|[0-9]{2,4}))*$',
        maxLength: 500,
        errorMessage:
          'must be ISIC Rev. 4 codes separated by commas: sections (J), divisions (62), groups (620) or classes (6201)',
        description:
          'Code of [ISIC Rev. 4](/docs/classifications): a section (`J`), division (`62`), group (`620`) or class (`6201`), or ' +
          'several, separated by commas. Finds companies with any activity in one of them.',
        examples: ['62', 'J,7210'],
      }),
    ),
    registeredFrom: day(
      'Only companies registered on this day or later. Companies without a `registeredAt` are left out.',
      '2024-01-01',
    ),
    registeredTo: day(
      'Only companies registered on this day or earlier. Companies without a `registeredAt` are left out.',
      '2024-12-31',
    ),
    sort: Type.Optional(
      Type.Enum([...sortOrders], {
        type: 'string',
        description:
          'The [order of results](/docs/paging#order-of-results): `name`, `-registeredAt` (newest registration first, unknown ' +
          'dates last), `-updatedAt` (last changed first) or, with `words`, `relevance` (best hits first). Equal results are in the ' +
          'order of names. Without `sort`, a search with `words` is sorted by `relevance`, any other by `name`; without `words`, ' +
          '`relevance` is the same as `name`.',
      }),
    ),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: DEFAULT_PAGE,
        errorMessage: `must be a page number in plain digits, 1 or higher; omit it for the default, ${DEFAULT_PAGE}`,
        description: PAGE_DESCRIPTION,
        examples: [DEFAULT_PAGE],
      }),
    ),
    pageSize: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: DEFAULT_PAGE_SIZE,
        description: 'Number of results per page.',
        examples: [25],
      }),
    ),
  },
  { additionalProperties: false },
);

const read = compileReader(SearchParameters, 'query');

export type GivenParameters = Readonly<Record<string, string>>;

/** Validates parameters that are still texts, as written in a URL or form. Throws `invalid_request`. */
export function readSearchQuery(given: GivenParameters): SearchQuery {
  return toSearchQuery(read(given));
}

export function toSearchQuery(parameters: Static<typeof SearchParameters>): SearchQuery {
  const words = parameters.words ?? '';
  return {
    q: parameters.q ?? '',
    words,
    country: parameters.country?.toUpperCase(),
    register: parameters.register,
    jurisdiction: parameters.jurisdiction?.toUpperCase(),
    status: parameters.status,
    legalForm: parameters.legalForm,
    legalFormCode: parameters.legalFormCode,
    elf: parameters.elf?.toUpperCase(),
    legalFormClass: parameters.legalFormClass,
    activity: parameters.activity,
    activityType: parameters.activityType ?? DEFAULT_ACTIVITY_TYPE,
    isic: parameters.isic?.toUpperCase(),
    registeredFrom: parameters.registeredFrom,
    registeredTo: parameters.registeredTo,
    sort: chooseSort(parameters.sort, countWords(words)),
    page: Math.min(parameters.page ?? DEFAULT_PAGE, MAX_PAGE),
    pageSize: parameters.pageSize ?? DEFAULT_PAGE_SIZE,
  };
}

function countWords(words: string): number {
  if (words === '') return 0;
  const count = new Set(listWords(fold(words.toWellFormed()))).size;
  if (count > MAX_WORDS) throw fail('invalid_request', { message: `words must have at most ${MAX_WORDS} words.` });
  return count;
}

/** Without words, all results are equally relevant, so only their names decide. */
function chooseSort(wanted: SortOrder | undefined, words: number): SortOrder {
  if (wanted === undefined) return words === 0 ? DEFAULT_SORT : 'relevance';
  return wanted === 'relevance' && words === 0 ? DEFAULT_SORT : wanted;
}
