import Type from 'typebox';
import { MAX_MATCH_QUERIES, MatchParameters } from '../../search/match-parameters.ts';
import { component, count, flag, text } from '../fields.ts';
import { EntitySummary, ErrorResponse } from './schemas.ts';

/** The shapes of matching. `search/match-parameters.ts` has its parameters. */

const MatchReason = component('MatchReason', 'One of the facts that a score is made of.', {
  feature: text('What was compared. New values may be added.', 'name'),
  value: text('What was found: a word, a number, a legal form, a place.', 'alpha'),
  weight: Type.Number({
    description: 'How much it counts for (above 0) or against (below 0) this company, in log odds.',
    examples: [6.2],
  }),
  text: text(
    'The same in words. Its wording may change.',
    'The names are the same; 3 of 10,799 companies have “alpha”',
  ),
});

const MatchCandidate = component('MatchCandidate', 'A company that may be the one that was meant.', {
  entity: EntitySummary,
  score: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The probability that this is the company that was meant.',
    examples: [0.987],
  }),
  match: flag('Whether it is safe to take it without asking anybody. True for at most one candidate.', true),
  reasons: Type.Array(MatchReason),
});

const MatchAnswer = component('MatchAnswer', 'The companies that a query can mean.', {
  status: Type.Enum(['match', 'ambiguous', 'none'], {
    description:
      '`match`: the first candidate is the company. `ambiguous`: one of several, see `text`. `none`: no company fits well enough.',
  }),
  text: text(
    'What was found, and what to add if it is ambiguous. Its wording may change.',
    'ALPHA LTD is the company that fits',
  ),
  candidates: Type.Array(MatchCandidate, { description: 'The best first.' }),
  bounded: flag('Whether the search for candidates reached its bound, so that one may be missing.', false),
});

export const MatchReply = Type.Object({ data: MatchAnswer }, { $id: 'MatchReply' });

export const MatchBatch = Type.Object(
  {
    queries: Type.Array(component('MatchQuery', 'A company to find.', MatchParameters.properties), {
      minItems: 1,
      maxItems: MAX_MATCH_QUERIES,
    }),
  },
  { $id: 'MatchBatch' },
);

export const MatchBatchReply = component('MatchBatchReply', 'An answer or an error for every query.', {
  data: Type.Array(Type.Union([MatchAnswer, ErrorResponse]), {
    description: 'One answer or error per query, in the order of the queries.',
  }),
  meta: Type.Object({ units: count('How many requests of the quota this has cost.', 100) }),
});
