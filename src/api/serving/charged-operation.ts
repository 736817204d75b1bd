import type { TObject } from 'typebox';
import type {
  BatchOperation,
  Needs,
  Operation,
  PricedOperation,
  QuotedOperation,
} from '../../accounts/charging/operation.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { Answer } from '../../http/route.ts';
import { accountSteps, describeReplies } from './account-operation.ts';
import { answers, meteredAnswers } from './answers.ts';
import { CHARGED_CODES, charge, guardBody, readParameters, takeExchange } from './charge.ts';
import type { Api, Row } from './operation.ts';

/** An operation that is charged for and writes its own replies: files, lists of queries, pages whose price depends on what they have. */
interface Described
  extends Pick<Row, 'url' | 'operationId' | 'tag' | 'summary' | 'description' | 'rawBody' | 'bodyLimit'> {
  /** GET if it is missing. */
  readonly method?: 'POST';
  /** An API key if it is missing. */
  readonly credential?: 'account';
  /** Any plan if it is missing. */
  readonly plan?: Needs['plan'];
  readonly params?: TObject;
  readonly querystring?: TObject;
  readonly headers?: TObject;
  /** What is sent besides errors. */
  readonly replies: Readonly<Record<number, Answer>>;
  readonly codes: readonly ErrorCode[];
}

/** `work` returns what the operation does, as the executor runs it, and how its answer is sent. */
type ChargedOperation<Given, Answered> = Described &
  (
    | { readonly price: 'free' | 'unit'; work(api: Api): Work<Given, Answered, PricedOperation<Call, Given, Answered>> }
    | { readonly price: 'quoted'; work(api: Api): Work<Given, Answered, QuotedOperation<Call, Given, Answered>> }
    | { readonly price: 'batch'; work(api: Api): Work<Given, Answered, BatchOperation<Call, Given, Answered>> }
  );
type Work<Given, Answered, Charged> = Omit<Charged, 'needs' | 'price' | 'read'> & Sending<Given, Answered>;

/** What the executor passes to an operation. */
export interface Call {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
}

interface Sending<Given, Answered> {
  /** Validates the request. Without it, the parameters of path and query are validated. */
  read?(call: Call): Given;
  /** Finishes the reply. If sending takes time, it returns how many units were delivered. */
  send(answer: Answered, call: Call): undefined | Promise<number>;
}

export function chargedOperation<Given, Answered>(row: ChargedOperation<Given, Answered>): Row {
  const { params, querystring, headers, replies, codes, price, plan = 'any', work, ...described } = row;
  const { credential = 'key', method = 'GET' } = row;
  const bodyCodes = row.method === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const);
  const response =
    credential === 'account'
      ? describeReplies(credential, false, replies, codes)
      : meteredAnswers(answers(replies, ...CHARGED_CODES, ...codes, ...bodyCodes));
  return {
    ...described,
    ...{ credential, price, plan, method },
    schema: { params, querystring, headers, response },
    serve(api) {
      const { send, read = ({ request }) => readParameters<Given>(request), ...own } = work(api);
      return {
        ...(credential === 'account' ? accountSteps(api) : method === 'POST' ? guardBody(api) : LATER),
        handler(request, reply) {
          const call = { request, reply };
          const exchange = takeExchange(request, reply, call);
          const needs = { credential: exchange.credential.kind, plan };
          const operation = { ...own, needs, price, read } as Operation<Call, Given, Answered>;
          charge(api, operation, exchange, (answer) => send(answer, call));
        },
      };
    },
  };
}

/** The rate window comes first. */
const LATER = { validatesLater: true } as const;
