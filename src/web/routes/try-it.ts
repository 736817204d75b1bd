import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../accounts/accounts.ts';
import type { Clock } from '../../core/clock.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Site } from '../../core/site.ts';
import type { Executor } from '../../operations/execute.ts';
import type { PricedOperation } from '../../operations/operation.ts';
import type { Registry } from '../../registry/registry.ts';
import { readSearchQuery } from '../../search/parameters.ts';
import type { Search } from '../../search/search.ts';
import { type Deadline, startDeadline, within } from '../../system/deadline.ts';
import { registerForms } from '../forms.ts';
import { type TryOutcome, tryItPage } from '../pages/try-it.ts';
import { limitNotice, mistakeNotice } from '../parts/search/limit-notices.ts';
import { type ApiContract, listOperations, type Operation } from '../reference/contract.ts';
import { isTriable, listTrialParameters, tryAddress } from '../reference/trials.ts';
import { sendPage } from '../send-page.ts';
import { toParameters } from '../text/search-address.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

export interface TryItServices extends VisitorServices {
  readonly site: Site;
  readonly clock: Clock;
  readonly contract: () => object;
  readonly search: Pick<Search, 'find'>;
  readonly registry: Pick<Registry, 'findEntity'>;
  readonly executor: Pick<Executor, 'perform'>;
}

type Values = Readonly<Record<string, string>>;
type Answer = Extract<TryOutcome, { kind: 'answered' }>;
/** A valid request: the address that it has in the API, and how it is answered. */
type Prepared = { readonly path: string; answer(accountId: string, deadline: Deadline): Promise<string> };

/** Operations of the API that users try on a page, charged to their account like any other request of the portal. */
export function registerTryIt(app: FastifyInstance, services: TryItServices): void {
  const { site, clock, search, registry, executor, publicUrl } = services;

  const preparations: Readonly<Record<string, (values: Values) => Prepared>> = {
    searchEntities(values) {
      const query = readSearchQuery(values);
      const parameters = toParameters(query).toString();
      return {
        path: `/api/v1/entities${parameters && `?${parameters}`}`,
        async answer(accountId, deadline) {
          const { body } = await search.find(query, accountId, deadline);
          return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString();
        },
      };
    },
    getEntity({ id = '' }) {
      if (!isUuid(id)) throw fail('invalid_request', { message: 'The id must be a UUID: take one from a search.' });
      return {
        path: `/api/v1/entities/${id.toLowerCase()}`,
        async answer() {
          const found = await registry.findEntity(id.toLowerCase());
          if (found === undefined) throw fail('entity_not_found');
          return found.content.toString();
        },
      };
    },
  };

  const operation: PricedOperation<{ readonly id: string; readonly values: Values }, Prepared, Answer> = {
    needs: { credential: 'session', plan: 'any' },
    price: 'unit',
    read: ({ id, values }) => (preparations[id] as (values: Values) => Prepared)(values),
    answer: async (prepared, { caller, deadline, limits: { quota } }) => {
      const body = await prepared.answer(caller.accountId, deadline);
      return { kind: 'answered', path: prepared.path, body, left: quota.remaining };
    },
  };

  async function perform(
    id: string,
    values: Values,
    { account }: SignedIn,
    deadline: Deadline,
  ): Promise<TryOutcome & { status: number }> {
    const credential = { kind: 'session', account } as const;
    const reply = await executor.perform(operation, { input: { id, values }, credential, deadline, caller: null });
    if (reply.outcome === 'answered') return { ...reply.answer, status: 200 };
    if (reply.outcome === 'denied') {
      return { kind: 'refused', notice: limitNotice(reply, clock.now()), status: statusOf(reply.code) };
    }
    const { error } = reply;
    if (!(error instanceof Failure) || statusOf(error.code) >= 500) throw error;
    return { kind: 'refused', notice: mistakeNotice(error.message), status: statusOf(error.code) };
  }

  async function serve(request: FastifyRequest<TryRoute>, reply: FastifyReply, fields?: Fields): Promise<FastifyReply> {
    const deadline = startDeadline();
    const found = findOperation(services.contract() as ApiContract, request.params.operation);
    const signedIn = await within(deadline, findSignedIn(request, services), 'the lookup of the session');
    if (signedIn === undefined) return sendToSignIn(reply, tryAddress(found.operationId));
    const visitor = describeVisitor(signedIn);
    const values = fields === undefined ? {} : readValues(found.operationId, fields);
    const outcome = fields === undefined ? undefined : await perform(found.operationId, values, signedIn, deadline);
    const given = fields === undefined ? examplesOf(found) : values;
    if (outcome !== undefined) reply.code(outcome.status);
    return sendPage(reply, tryItPage({ visitor, publicUrl: publicUrl(), operation: found, given, outcome }));
  }

  const address = tryAddress(':operation');
  app.get<TryRoute>(address, (request, reply) => serve(request, reply));
  registerForms(app, site, (scope) => {
    scope.post<TryRoute & { Body: Fields | undefined }>(address, (request, reply) =>
      serve(request, reply, request.body ?? {}),
    );
  });
}

interface TryRoute {
  readonly Params: { readonly operation: string };
}

function findOperation(contract: ApiContract, id: string): Operation {
  const found = isTriable(id) ? listOperations(contract).find(({ operationId }) => operationId === id) : undefined;
  if (found === undefined) throw fail('not_found');
  return found;
}

/** Without empty fields: an optional parameter that is empty is not sent. */
function readValues(id: string, fields: Fields): Values {
  const given = listTrialParameters(id).map((name) => [name, fields[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** What the form is filled in with: enough for a request that finds something. */
function examplesOf({ operationId }: Operation): Values {
  return operationId === 'searchEntities' ? { q: 'holding', pageSize: '3' } : {};
}
