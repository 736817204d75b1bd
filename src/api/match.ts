import Type from 'typebox';
import { compileReader } from '../base/validation.ts';
import { nameSnapshot } from '../base/version.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { type ListedQuery, matchEach } from '../search/match/batch.ts';
import { MAX_MATCH_QUERIES, MatchParameters, readListedQuery, toMatchQuery } from '../search/match-parameters.ts';
import { bodyOf, choice, component, count, flag, listOf, replyOf, text } from './fields.ts';
import { ErrorResponse, json } from './serving/answers.ts';
import { type DataContent, dataOperation } from './serving/data-operation.ts';
import { chargedOperation } from './serving/operation.ts';
import { EntitySummary } from './summary.ts';

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
  status: choice(
    ['match', 'ambiguous', 'none'],
    '`match`: the first candidate is the company. `ambiguous`: one of several, see `text`. `none`: no company fits well enough.',
  ),
  text: text(
    'What was found, and what to add if it is ambiguous. Its wording may change.',
    'ALPHA LTD is the company that fits',
  ),
  candidates: listOf(MatchCandidate, 'The best first.'),
  bounded: flag('Whether the search for candidates reached its bound, so that one may be missing.', false),
});

const MatchReply = replyOf('MatchReply', MatchAnswer);

const MatchBatch = Type.Object(
  {
    queries: Type.Array(component('MatchQuery', 'A company to find.', MatchParameters.properties), {
      minItems: 1,
      maxItems: MAX_MATCH_QUERIES,
    }),
  },
  { $id: 'MatchBatch' },
);

const MatchBatchReply = component('MatchBatchReply', 'An answer or an error for every query.', {
  data: listOf(Type.Union([MatchAnswer, ErrorResponse]), 'One answer or error per query, in the order of the queries.'),
  meta: Type.Object({ units: count('How many requests of the quota this has cost.', 100) }),
});

export const matchOne = dataOperation({
  url: '/api/v1/match',
  operationId: 'matchEntity',
  summary: 'Match a company',
  description:
    'Finds the company that somebody means by a name. See [matching](/docs/matching). An answer without candidates costs one ' +
    'request, too.',
  querystring: MatchParameters,
  success: { description: 'The companies that can be meant, the best first.', schema: MatchReply },
  namesSnapshot: true,
  version: ({ search }) => search.version(),
  answer:
    ({ matcher }) =>
    async (parameters, { caller: { accountId }, deadline }) => {
      const { version, answer } = await matcher.match(toMatchQuery(parameters), { account: accountId, deadline });
      return { version, body: `{"data":${JSON.stringify(answer)}}` };
    },
});

/** 100 names of 10,000 characters. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** How much longer than other requests a list may take, in milliseconds per query. */
const WAIT_MS = 20;

/** Reads the list itself. Its queries are read one by one, because an invalid query must not fail the others. */
const readList = compileReader(
  bodyOf('MatchList', {
    queries: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: MAX_MATCH_QUERIES,
      errorMessage: `must be a list of 1 to ${MAX_MATCH_QUERIES} queries`,
    }),
  }),
  'body',
);

export const matchList = chargedOperation<readonly ListedQuery[], DataContent>({
  method: 'POST',
  url: '/api/v1/match',
  operationId: 'matchEntities',
  tag: 'Registry',
  summary: 'Match companies',
  description:
    `Finds the companies that somebody means by up to ${MAX_MATCH_QUERIES} names. Each query is answered for itself, in order, and ` +
    'costs one request. A query that is invalid or fails has an error in its place and costs nothing. All answers come from ' +
    'one version of the data. If the quota cannot pay for all queries, nothing is done.',
  rawBody: MatchBatch,
  bodyLimit: MAX_BODY_BYTES,
  replies: { 200: json('An answer or an error for every query.', MatchBatchReply, ['X-Data-Version']) },
  codes: ['insufficient_quota'],
  work: ({ matcher, search, describeError, version: serviceVersion }) => ({
    price: 'batch',
    read: ({ request }) => readList(request.body).queries.map(readListedQuery),
    countUnits: (queries) => queries.filter((each) => 'query' in each).length,
    waitMs: ({ length }) => length * WAIT_MS,
    async answer(queries, { input: { request }, caller: { accountId }, deadline, isGone }) {
      const { version, outcomes } = await matchEach(matcher, queries, { account: accountId, deadline, isGone });
      const shown = isGone() ? [] : outcomes;
      const data = shown.map((each) =>
        'answer' in each ? JSON.stringify(each.answer) : describeError(each.error, request.id).body,
      );
      const units = outcomes.filter((each) => 'answer' in each).length;
      const body = `{"data":[${data.join(',')}],"meta":{"units":${units}}}`;
      return { answer: { version: version ?? (await search.version()), body }, units };
    },
    send({ version, body }, { reply }) {
      reply.mustRevalidate().header('x-data-version', nameSnapshot(serviceVersion, version));
      return reply.type(JSON_TYPE).send(body);
    },
  }),
});
