import type { BatchOperation, Operation, PricedOperation, QuotedOperation } from '../../accounts/charging/operation.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { accountSteps } from './account-operation.ts';
import { charge, guardBody, readParameters, takeExchange } from './charge.ts';
import { type Api, type Declared, makeRow, type Row } from './operation.ts';

/** A charged operation that writes its own replies: files, lists of queries, pages whose price depends on their content. */
interface Described extends Omit<Declared, 'method' | 'credential' | 'price'> {
  /** The default is GET. */
  readonly method?: 'POST';
  /** The default is an API key. */
  readonly credential?: 'account';
}

/** `work` returns the operation that the executor runs, and the function that sends its answer. */
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
  /** Validates the request. By default, only the parameters of path and query are validated. */
  read?(call: Call): Given;
  /** Finishes the reply. If sending takes time, the function returns how many units were delivered. */
  send(answer: Answered, call: Call): undefined | Promise<number>;
}

export function chargedOperation<Given, Answered>(row: ChargedOperation<Given, Answered>): Row {
  const { price, plan = 'any', codes = [], work, ...described } = row;
  const { credential = 'key', method = 'GET' } = row;
  const bodyCodes = row.method === undefined ? [] : (['payload_too_large', 'unsupported_media_type'] as const);
  return makeRow({ ...described, credential, price, plan, method, codes: [...codes, ...bodyCodes] }, (api) => {
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
  });
}

/** The executor validates, because the rate window comes before validation. */
const LATER = { validatesLater: true } as const;
