import Type from 'typebox';
import type { BatchOperation, Exchange } from '../../accounts/charging/operation.ts';
import { compileReader } from '../../base/validation.ts';
import { nameSnapshot } from '../../base/version.ts';
import type { Routes } from '../../http/app.ts';
import { JSON_TYPE } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { type ListedQuery, matchEach } from '../../search/match/batch.ts';
import { MAX_MATCH_QUERIES, MatchParameters, readListedQuery, toMatchQuery } from '../../search/match-parameters.ts';
import type { AppServices } from '../app-services.ts';
import { MatchBatch, MatchBatchReply, MatchReply } from '../schemas/match.ts';
import { answers, json, meteredAnswers } from '../serving/answers.ts';
import { CHARGED_CODES, type Charging, guardBody, takeAnswer } from '../serving/charge.ts';
import { dataOperation } from '../serving/data-operation.ts';

/** 100 names of 10,000 characters. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** How much longer than other requests a list may take, per query. */
const WAIT_MS = 20;

/** The list itself. Its queries are read one by one, because one that is invalid must not fail the others. */
const readList = compileReader(
  Type.Object(
    {
      queries: Type.Array(Type.Unknown(), {
        minItems: 1,
        maxItems: MAX_MATCH_QUERIES,
        errorMessage: `must be a list of 1 to ${MAX_MATCH_QUERIES} queries`,
      }),
    },
    { additionalProperties: false },
  ),
  'body',
);

interface Matched {
  readonly version: string;
  readonly body: string;
}

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

export function registerMatchList(app: Routes, { matcher, search }: AppServices, charging: Charging): void {
  const { executor, now, version: serviceVersion, describeError } = charging;

  const batch: BatchOperation<HttpRequest, readonly ListedQuery[], Matched> = {
    needs: { credential: 'key', plan: 'any' },
    price: 'batch',
    read: ({ body }) => readList(body).queries.map(readListedQuery),
    countUnits: (queries) => queries.filter((each) => 'query' in each).length,
    waitMs: ({ length }) => length * WAIT_MS,
    async answer(queries, { input, caller: { accountId }, deadline, isGone }) {
      const { version, outcomes } = await matchEach(matcher, queries, { account: accountId, deadline, isGone });
      const shown = isGone() ? [] : outcomes;
      const data = shown.map((each) =>
        'answer' in each ? JSON.stringify(each.answer) : describeError(each.error, input.id).body,
      );
      const units = outcomes.filter((each) => 'answer' in each).length;
      const body = `{"data":[${data.join(',')}],"meta":{"units":${units}}}`;
      return { answer: { version: version ?? (await search.version()), body }, units };
    },
  };

  app.route({
    method: 'POST',
    url: '/api/v1/match',
    operation: {
      operationId: 'matchEntities',
      tag: 'Registry',
      summary: 'Match companies',
      description:
        `Finds the companies that somebody means by up to ${MAX_MATCH_QUERIES} names. Each query is answered for itself, in order, and ` +
        'costs one request. A query that is invalid or fails has an error in its place and costs nothing. All answers come from ' +
        'one version of the data. If the quota cannot pay for all queries, nothing is done.',
      authentication: 'apiKey',
      rawBody: MatchBatch,
    },
    bodyLimit: MAX_BODY_BYTES,
    ...guardBody(charging),
    schema: {
      response: meteredAnswers(
        answers(
          { 200: json('An answer or an error for every query.', MatchBatchReply, ['X-Data-Version']) },
          ...CHARGED_CODES,
          'insufficient_quota',
          'payload_too_large',
          'unsupported_media_type',
        ),
      ),
    },
    async handler(request, reply) {
      const exchange = { ...(request.exchange as Exchange<unknown>), input: request };
      const { version, body } = takeAnswer(reply, await executor.perform(batch, exchange), now());
      reply.mustRevalidate().header('x-data-version', nameSnapshot(serviceVersion, version));
      return reply.type(JSON_TYPE).send(body);
    },
  });
}
