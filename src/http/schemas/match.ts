import Type from 'typebox';
import { MAX_MATCH_QUERIES, MatchParameters } from '../../search/match-parameters.ts';
import { EntitySummary, ErrorResponse } from './schemas.ts';

/** The shapes of matching. `search/match-parameters.ts` has its parameters. */

const MatchReason = Type.Object(
  {
    feature: Type.String({ description: 'What was compared. New values may be added.', examples: ['name'] }),
    value: Type.String({
      description: 'What was found: a word, a number, a legal form, a place.',
      examples: ['alpha'],
    }),
    weight: Type.Number({
      description: 'How much it counts for (above 0) or against (below 0) this company, in log odds.',
      examples: [6.2],
    }),
    text: Type.String({
      description: 'The same in words. Its wording may change.',
      examples: ['The names are the same; 3 of 10,799 companies have “alpha”'],
    }),
  },
  { $id: 'MatchReason', description: 'One of the facts that a score is made of.' },
);

const MatchCandidate = Type.Object(
  {
    entity: EntitySummary,
    score: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'The probability that this is the company that was meant.',
      examples: [0.987],
    }),
    match: Type.Boolean({
      description: 'Whether it is safe to take it without asking anybody. True for at most one candidate.',
      examples: [true],
    }),
    reasons: Type.Array(MatchReason),
  },
  { $id: 'MatchCandidate', description: 'A company that may be the one that was meant.' },
);

const MatchAnswer = Type.Object(
  {
    status: Type.Enum(['match', 'ambiguous', 'none'], {
      description:
        '`match`: the first candidate is the company. `ambiguous`: one of several, see `text`. `none`: no company fits well enough.',
    }),
    text: Type.String({
      description: 'What was found, and what to add if it is ambiguous. Its wording may change.',
      examples: ['ALPHA LTD is the company that fits'],
    }),
    candidates: Type.Array(MatchCandidate, { description: 'The best first.' }),
    bounded: Type.Boolean({
      description: 'Whether the search for candidates reached its bound, so that one may be missing.',
      examples: [false],
    }),
  },
  { $id: 'MatchAnswer', description: 'The companies that a query can mean.' },
);

export const MatchReply = Type.Object({ data: MatchAnswer }, { $id: 'MatchReply' });

export const MatchBatch = Type.Object(
  {
    queries: Type.Array(
      Type.Object(MatchParameters.properties, { $id: 'MatchQuery', description: 'A company to find.' }),
      { minItems: 1, maxItems: MAX_MATCH_QUERIES },
    ),
  },
  { $id: 'MatchBatch' },
);

export const MatchBatchReply = Type.Object(
  {
    data: Type.Array(Type.Union([MatchAnswer, ErrorResponse]), {
      description: 'One answer or error per query, in the order of the queries.',
    }),
    meta: Type.Object({
      units: Type.Integer({
        minimum: 0,
        description: 'How many requests of the quota this has cost.',
        examples: [100],
      }),
    }),
  },
  { $id: 'MatchBatchReply', description: 'An answer or an error for every query.' },
);
