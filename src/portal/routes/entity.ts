import type { PricedOperation } from '../../accounts/charging/operation.ts';
import { fail, statusOf } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { dayWindow } from '../../base/period.ts';
import { readLastPage, readReturnPath } from '../../base/requests/same-origin.ts';
import { createVisitorLimit, type VisitorLimits } from '../../base/requests/visitor-limit.ts';
import { type Deadline, startDeadline, within } from '../../base/system/deadline.ts';
import type { Routes } from '../../http/app.ts';
import type { HttpReply } from '../../http/reply.ts';
import type { HttpRequest } from '../../http/request.ts';
import { MAX_PAGE } from '../../search/parameters.ts';
import type { Html } from '../html.ts';
import { classifyNavigation, sendConfirmation } from '../navigation.ts';
import { entityPage } from '../pages/entity.ts';
import { entityListPage } from '../pages/entity-list.ts';
import { limitPage, signInToReadPage, visitorLimitPage } from '../pages/messages.ts';
import { type ProofView, proofPage } from '../pages/proof.ts';
import type { Visitor } from '../parts/layout.ts';
import { OWNER_LEVELS, type OwnershipView } from '../parts/record/ownership.ts';
import { TIMELINE_LENGTH } from '../parts/record/timeline.ts';
import { LIST_PAGE_SIZE } from '../parts/record/values.ts';
import { keepForBack, sendPage } from '../send-page.ts';
import type { PageServices } from '../services.ts';
import { describeVisitor, findSignedIn, SESSION, startCharge } from '../visitor.ts';

/**
 * Pages of records. Everything that can fail is done before the charge is final, so a failure costs nothing. Visitors may
 * open a limited number of records, without the source row and the JSON.
 */
export function registerEntity(app: Routes, services: PageServices, limits: VisitorLimits): void {
  const { publicUrl, registry, changes, executor, proofs, clock, isPrepared } = services;
  const takeVisit = createVisitorLimit(limits, dayWindow);

  /** Sends what `work` returns and charges it, if a signed-in user asked for it. */
  async function serve<P, T>(
    request: HttpRequest<EntityRoute>,
    reply: HttpReply,
    { read, work, send, preview, waitMs = 0, isFree }: Served<P, T>,
  ): Promise<HttpReply> {
    const deadline = startDeadline();
    const signedIn = await findSignedIn(request, services, deadline);
    const id = request.params.id.toLowerCase();
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, services.site);
    if (signedIn === undefined) {
      const path = `/entities/${readId(id)}`;
      if (!preview) return sendPage(reply.code(statusOf('session_required')), signInToReadPage(path));
      if (navigation === 'speculative') return sendConfirmation(request, reply, { visitor, navigation });
      return previewRecord(request, reply, { id, deadline });
    }
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const operation: PricedOperation<string, { readonly id: string; readonly part: P }, T> = {
      needs: SESSION,
      price: 'unit',
      read: (id) => ({ id: readId(id), part: read() }),
      waitMs: () => waitMs,
      answer: ({ id, part }, { limits: { quota }, caller, deadline }) => {
        const results = findResults(request);
        return work({ id, part, visitor, results, left: quota.remaining, account: caller.accountId, deadline });
      },
      ...(isFree && { isFree }),
    };
    const charged = await executor.perform(operation, startCharge(signedIn.account, id, deadline));
    if (charged.outcome === 'failed') throw charged.error;
    if (charged.outcome === 'answered') return send(charged.answer);
    return sendPage(reply.code(statusOf(charged.code)), limitPage(visitor, charged, clock.now()));
  }

  async function previewRecord(
    request: HttpRequest,
    reply: HttpReply,
    { id, deadline }: { readonly id: string; readonly deadline: Deadline },
  ): Promise<HttpReply> {
    if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const now = clock.now();
    const until = takeVisit(request.network, now);
    if (until !== undefined) {
      reply.code(statusOf('rate_limit_exceeded')).header('Retry-After', Math.ceil((until - now) / 1000));
      return sendPage(reply, visitorLimitPage(`/entities/${id}`, limits.perAddress, until - now));
    }
    const work = {
      id,
      visitor: 'anonymous',
      results: findResults(request),
      account: request.network,
      deadline,
    } as const;
    return sendPage(reply, await within(deadline, showRecord(work), 'the record'));
  }

  async function showRecord({ id, visitor, results, left, account, deadline }: Work): Promise<Html> {
    const { version, content: excerpt } = requireFound(await registry.findExcerpt(id));
    // Up to the version of the record, so that an import between the two statements does not show in only one of them.
    const past = requireFound(await changes.readHistory(id, { upTo: version, limit: TIMELINE_LENGTH }));
    const history = { changes: past.data, hasMore: past.meta.hasMore };
    const now = clock.now();
    const registers = await registry.listRegisters(now);
    const ownership = await readOwnership({ id, account, deadline }, String(excerpt.value.register));
    return entityPage({ visitor, publicUrl: publicUrl(), excerpt, history, ownership, registers, now, results, left });
  }

  /** Without a statement for registers that publish nothing. */
  async function readOwnership(
    { id, account, deadline }: Pick<Work, 'id' | 'account' | 'deadline'>,
    register: string,
  ): Promise<OwnershipView | undefined> {
    const { parties } = registry;
    if (!parties.isShown(register)) return undefined;
    return {
      parties: requireFound(await parties.list(id, {})),
      owners: requireFound(await parties.walk(id, 'owners', OWNER_LEVELS, account, deadline)),
      holdings: requireFound(await parties.walk(id, 'holdings', 1, account, deadline)),
    };
  }

  async function proveRecord({ id, visitor, left, account }: ChargedWork): Promise<ProofView> {
    const { content: excerpt } = requireFound(await registry.findExcerpt(id));
    const result = requireFound(await proofs.prove(id, account));
    return { visitor, id, excerpt, result, left };
  }

  function findResults(request: HttpRequest): string | undefined {
    const path = readReturnPath(readLastPage(request, services.site), '');
    return path.startsWith('/explore?') ? path : undefined;
  }

  async function showList({ id, visitor, left }: ChargedWork, { pointer, page }: ListRequest): Promise<Html> {
    const window = { pointer, first: (page - 1) * LIST_PAGE_SIZE, count: LIST_PAGE_SIZE };
    const list = requireFound(await registry.findList(id, window)).content;
    if (list === undefined)
      throw fail('not_found', { message: 'This record has no such list: open the record to see its lists.' });
    return entityListPage({ visitor, id, pointer, page, list, left });
  }

  app.get<EntityRoute>('/entities/:id', (request, reply) =>
    serve(request, reply, {
      preview: readPointer(request.query) === '',
      read: () => readListRequest(request.query),
      work: (work) => (work.part === undefined ? showRecord(work) : showList(work, work.part)),
      send: (page) => sendPage(keepForBack(reply), page),
    }),
  );

  app.get<EntityRoute>('/entities/:id/proof', (request, reply) =>
    serve(request, reply, {
      preview: false,
      read: () => undefined,
      waitMs: proofs.maxCallMs,
      work: proveRecord,
      isFree: ({ result }) => typeof result === 'string',
      send: (view) => sendPage(reply, proofPage(view)),
    }),
  );

  app.get<EntityRoute>('/entities/:id/json', (request, reply) =>
    serve(request, reply, {
      preview: false,
      read: () => undefined,
      work: async ({ id }) => requireFound(await registry.findEntity(id)).content,
      send: (body) => reply.type('application/json; charset=utf-8').send(body),
    }),
  );
}

interface EntityRoute {
  readonly Params: { readonly id: string };
  readonly Querystring: Readonly<Record<string, string | string[] | undefined>>;
}

interface Work {
  readonly id: string;
  readonly visitor: Visitor;
  readonly results: string | undefined;
  /** Requests left in the current period. Undefined for visitors. */
  readonly left?: number;
  /** Whose turn it is: the account, or the network of a visitor. */
  readonly account: string;
  readonly deadline: Deadline;
}

interface ChargedWork extends Work {
  readonly left: number;
}

interface Served<P, T> {
  readonly preview: boolean;
  read(): P;
  work(work: ChargedWork & { readonly part: P }): Promise<T>;
  send(result: T): HttpReply;
  readonly waitMs?: number;
  isFree?(result: T): boolean;
}

interface ListRequest {
  readonly pointer: string;
  readonly page: number;
}

function readPointer(query: EntityRoute['Querystring']): string {
  return [query.list].flat().at(-1) ?? '';
}

/** Undefined for the page of the whole record. */
function readListRequest(query: EntityRoute['Querystring']): ListRequest | undefined {
  const pointer = readPointer(query);
  if (pointer === '') return undefined;
  const page = [query.page].flat().at(-1) || '1';
  if (!/^[1-9]\d*$/.test(page))
    throw fail('invalid_request', { message: 'The page must be a whole number, 1 or higher.' });
  return { pointer, page: Math.min(Number(page), MAX_PAGE) };
}

/** Users see a malformed id as not found, not as an invalid request. */
function readId(id: string): string {
  if (!isUuid(id)) throw fail('entity_not_found');
  return id;
}

function requireFound<T>(found: T | undefined): T {
  if (found === undefined) throw fail('entity_not_found');
  return found;
}
