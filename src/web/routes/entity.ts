import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { startDeadline, within } from '../../core/deadline.ts';
import { fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import type { Site } from '../../core/site.ts';
import { portalCaller } from '../../core/usage.ts';
import { type ChargingMeter, charge } from '../../metering/charge.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Html } from '../html.ts';
import { classifyNavigation, sendConfirmation } from '../navigation.ts';
import { entityPage, signInToReadPage } from '../pages/entity.ts';
import { entityListPage } from '../pages/entity-list.ts';
import { limitPage } from '../pages/problem.ts';
import type { Visitor } from '../parts/layout.ts';
import { limitNotice } from '../parts/limit-notices.ts';
import { LIST_PAGE_SIZE } from '../parts/more-link.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, type VisitorServices } from '../visitor.ts';

export interface EntityPageServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly site: Site;
  readonly registry: Pick<Registry, 'findEntity' | 'findExcerpt' | 'findList'>;
  readonly meter: ChargingMeter;
  readonly clock: Clock;
}

/** Pages of records. Everything that can fail is done before the charge is final, so a failure costs nothing. */
export function registerEntity(app: FastifyInstance, services: EntityPageServices): void {
  const { publicUrl, registry, meter, clock } = services;

  /** Sends what `work` returns and charges it, if a signed-in user asked for it. */
  async function serve<P, T>(
    request: FastifyRequest<EntityRoute>,
    reply: FastifyReply,
    { read, work, send }: Served<P, T>,
  ): Promise<FastifyReply> {
    const deadline = startDeadline();
    const signedIn = await within(deadline, findSignedIn(request, services), 'the lookup of the session');
    const id = request.params.id.toLowerCase();
    if (signedIn === undefined) {
      if (!isUuid(id)) throw fail('entity_not_found');
      return sendPage(reply.code(statusOf('session_required')), signInToReadPage(`/entities/${id}`));
    }
    const visitor = describeVisitor(signedIn);
    const navigation = classifyNavigation(request, services.site);
    if (navigation !== 'own') return sendConfirmation(request, reply, { visitor, navigation });
    const charged = await charge(meter, portalCaller(signedIn.account), {
      deadline,
      read: () => ({ id: readId(id), part: read() }),
      work: ({ id, part }, limits) => work({ id, part, visitor, left: limits.quota.remaining }),
    });
    if (charged.outcome === 'served') return send(charged.answer);
    const notice = limitNotice(charged, signedIn.account.plan, clock.now());
    return sendPage(reply.code(statusOf(charged.code)), limitPage(notice, visitor));
  }

  async function showRecord({ id, visitor, left }: Work): Promise<Html> {
    const found = requireFound(await registry.findExcerpt(id));
    return entityPage({ visitor, publicUrl: publicUrl(), excerpt: found.content, left });
  }

  async function showList({ id, visitor, left }: Work, { pointer, page }: ListRequest): Promise<Html> {
    const window = { pointer, first: (page - 1) * LIST_PAGE_SIZE, count: LIST_PAGE_SIZE };
    const list = requireFound(await registry.findList(id, window)).content;
    if (list === undefined)
      throw fail('not_found', { message: 'This record has no such list: open the record to see its lists.' });
    return entityListPage({ visitor, id, pointer, page, list, left });
  }

  app.get<EntityRoute>('/entities/:id', (request, reply) =>
    serve(request, reply, {
      read: () => readListRequest(request.query),
      work: (work) => (work.part === undefined ? showRecord(work) : showList(work, work.part)),
      send: (page) => sendPage(reply, page),
    }),
  );

  app.get<EntityRoute>('/entities/:id/json', (request, reply) =>
    serve(request, reply, {
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

/** What a page is made from, besides the record. */
interface Work {
  readonly id: string;
  readonly visitor: Visitor;
  /** Requests left in the current period. */
  readonly left: number;
}

interface Served<P, T> {
  /** Validates the query. */
  read(): P;
  work(work: Work & { readonly part: P }): Promise<T>;
  send(result: T): FastifyReply;
}

interface ListRequest {
  /** JSON Pointer of the list. */
  readonly pointer: string;
  readonly page: number;
}

/** Undefined for the page of the whole record. */
function readListRequest(query: EntityRoute['Querystring']): ListRequest | undefined {
  const pointer = [query.list].flat().at(-1);
  if (pointer === undefined || pointer === '') return undefined;
  const page = [query.page].flat().at(-1) || '1';
  if (!/^[1-9]\d{0,8}$/.test(page))
    throw fail('invalid_request', { message: 'The page must be a whole number from 1 to 999999999.' });
  return { pointer, page: Number(page) };
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
