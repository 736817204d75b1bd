import type { SignedIn } from '../../accounts/accounts.ts';
import type { Clock } from '../../core/clock.ts';
import { Failure, fail, statusOf } from '../../core/errors.ts';
import type { Fields } from '../../core/requests/form-fields.ts';
import type { Site } from '../../core/site.ts';
import type { Trial } from '../../operations/operation.ts';
import type { Search } from '../../search/search.ts';
import { type Deadline, startDeadline } from '../../system/deadline.ts';
import type { Routes } from '../../transport/app.ts';
import type { HttpReply } from '../../transport/reply.ts';
import type { HttpRequest } from '../../transport/request.ts';
import { findPage } from '../find-page.ts';
import { registerAccountForms } from '../forms.ts';
import { SAMPLE_QUERY } from '../pages/home.ts';
import { type TryOutcome, tryItPage } from '../pages/try-it.ts';
import { notice } from '../parts/notice.ts';
import { limitNotice } from '../parts/search/limit-notices.ts';
import { type ApiContract, listOperations, type Operation } from '../reference/contract.ts';
import { isTriable, listTrialParameters, trialPath, tryAddress } from '../reference/trials.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, sendToSignIn, type VisitorServices } from '../visitor.ts';

export interface TryItServices extends VisitorServices {
  readonly site: Site;
  readonly clock: Clock;
  readonly contract: () => object;
  readonly search: Pick<Search, 'find'>;
  /** The operations of the API by id. */
  readonly trials: ReadonlyMap<string, Trial>;
}

type Values = Readonly<Record<string, string>>;

/** Operations of the API that users try on a page, charged to their account like any other request of the portal. */
export function registerTryIt(app: Routes, services: TryItServices): void {
  const { clock, search, trials, publicUrl } = services;

  async function send(
    operation: Operation,
    values: Values,
    { account }: SignedIn,
    { raw: response }: HttpReply,
    deadline: Deadline,
  ): Promise<TryOutcome & { readonly status: number }> {
    const credential = { kind: 'session', account } as const;
    const trial = trials.get(operation.operationId) as Trial;
    const reply = await trial(values, { credential, deadline, response, caller: null });
    if (reply.outcome === 'answered') {
      const { answer, units, limits } = reply;
      const body = Buffer.from(answer.body ?? '').toString();
      const path = trialPath(operation, values);
      return { kind: 'answered', path, body, units, left: limits.quota.remaining, status: 200 };
    }
    if (reply.outcome === 'denied') {
      return { kind: 'refused', notice: limitNotice(reply, clock.now()), status: statusOf(reply.code) };
    }
    const { error } = reply;
    if (!(error instanceof Failure) || statusOf(error.code) >= 500) throw error;
    return { kind: 'refused', notice: notice('bad', 'Request failed', error.message), status: statusOf(error.code) };
  }

  /** What an empty form is filled in with: enough for a request that finds something. */
  async function findExamples(operation: Operation, accountId: string, deadline: Deadline): Promise<Values> {
    const names = listTrialParameters(operation).map(({ name }) => name);
    const needsCompany = names.includes('id') || names.includes('name');
    const found = needsCompany
      ? await findPage(search, SAMPLE_QUERY, accountId, deadline).catch(() => undefined)
      : undefined;
    const { id = '', canonicalName = '' } = found?.data[0] ?? {};
    const known: Values = { id, name: canonicalName, q: SAMPLE_QUERY.q, pageSize: '3', limit: '3' };
    return Object.fromEntries(names.map((name) => [name, known[name] ?? '']));
  }

  async function serve(request: HttpRequest<TryRoute>, reply: HttpReply, fields?: Fields): Promise<HttpReply> {
    const deadline = startDeadline();
    const operation = findOperation(services.contract() as ApiContract, request.params.operation);
    const signedIn = await findSignedIn(request, services, deadline);
    if (signedIn === undefined) return sendToSignIn(reply, tryAddress(operation.operationId));
    const page = { visitor: describeVisitor(signedIn), publicUrl: publicUrl(), operation };
    if (fields === undefined) {
      const given = await findExamples(operation, signedIn.account.accountId, deadline);
      return sendPage(reply, tryItPage({ ...page, given, outcome: undefined }));
    }
    const given = readValues(operation, fields);
    const outcome = await send(operation, given, signedIn, reply, deadline);
    return sendPage(reply.code(outcome.status), tryItPage({ ...page, given, outcome }));
  }

  const address = tryAddress(':operation');
  app.get<TryRoute>(address, (request, reply) => serve(request, reply));
  const register = (scope: Routes) => {
    scope.post<TryRoute & { Body: Fields | undefined }>(address, (request, reply) =>
      serve(request, reply, request.body ?? {}),
    );
  };
  registerAccountForms(app, services, register, { returnTo: ({ url }) => url });
}

interface TryRoute {
  readonly Params: { readonly operation: string };
}

function findOperation(contract: ApiContract, id: string): Operation {
  const found = listOperations(contract).find((each) => each.operationId === id && isTriable(each));
  if (found === undefined) throw fail('not_found');
  return found;
}

/** Without empty fields: an optional parameter that is empty is not sent. */
function readValues(operation: Operation, fields: Fields): Values {
  const given = listTrialParameters(operation).map(({ name }) => [name, fields[name]?.trim() ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
