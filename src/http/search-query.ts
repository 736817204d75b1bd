import Type from 'typebox';
import { ACTIVITY_TYPE, ACTIVITY_TYPES, COUNTRY, EXACT, PAGE, PAGE_SIZE, Q } from '../search/read-query.ts';

/** No record holds U+0000, for PostgreSQL cannot store it. */
const NO_NUL = { pattern: '^[^\\u0000]*$' } as const;

/** The parameters of a search for the contract; `search/read-query.ts` keeps to it. */
export const SearchParameters = Type.Object({
  q: Type.Optional(
    Type.String({
      ...Q,
      ...NO_NUL,
      description:
        'Fragment of the name, or of a registration number with or without its punctuation. Case and accents do not ' +
        'matter. Empty is no filter.',
      examples: ['müller & co', '00445790'],
    }),
  ),
  country: Type.Optional(
    Type.String({ ...COUNTRY, description: 'ISO 3166-1 alpha-2 code, in either case.', examples: ['GB'] }),
  ),
  legalForm: Type.Optional(
    Type.String({
      ...EXACT,
      ...NO_NUL,
      description: 'National legal form, exactly as in `legalForm` of a result.',
      examples: ['Private Limited Company'],
    }),
  ),
  activity: Type.Optional(
    Type.String({
      ...EXACT,
      ...NO_NUL,
      description: 'National activity, exactly: its code or its label.',
      examples: ['62012'],
    }),
  ),
  activityType: Type.Optional(
    Type.Enum([...ACTIVITY_TYPES], { ...ACTIVITY_TYPE, description: 'Which activities `activity` is looked for in.' }),
  ),
  page: Type.Optional(
    Type.Integer({ ...PAGE, description: 'Page, from 1. One past the last is empty.', examples: [1] }),
  ),
  pageSize: Type.Optional(Type.Integer({ ...PAGE_SIZE, description: 'Results a page.', examples: [25] })),
});
