import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { fail, statusOf } from '../../core/errors.ts';
import type { Registry } from '../../registry/registry.ts';
import { startDeadline, within } from '../../system/deadline.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { homePage } from '../pages/home.ts';
import { describeMistake, type Preview } from '../preview.ts';
import { sendPage } from '../send-page.ts';
import { findVisitor, type VisitorServices } from '../visitor.ts';

export interface HomeServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly registry: Pick<Registry, 'listCountries' | 'listRegisters'>;
  readonly clock: Clock;
  readonly preview: Preview;
}

/** Where programs that start at the home page find the contract and the documentation (RFC 8631). */
const SERVICE_LINKS =
  '</api/v1/openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"';

export function registerHome(app: FastifyInstance, services: HomeServices): void {
  const { publicUrl, registry, clock, preview } = services;
  const kept = createKeptPages();

  app.get<{ Querystring: { q?: string | string[] } }>('/', async (request, reply) => {
    if (!services.isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const deadline = startDeadline();
    const q = [request.query.q].flat().at(-1) ?? '';
    const now = clock.now();
    const reading = Promise.all([
      findVisitor(request, services),
      registry.listCountries(),
      registry.listRegisters(now),
    ]);
    const [visitor, countries, registers] = await within(deadline, reading, 'reading the registers');
    const outcome =
      q.trim() === '' ? undefined : await preview(request.network, { q }, deadline).catch(describeMistake);
    reply.header('Link', SERVICE_LINKS);
    if (outcome?.kind === 'refused') reply.code(statusOf(outcome.code));
    const view = { visitor, publicUrl: publicUrl(), countries, registers, now, q, outcome };
    const render = () => homePage(view);
    if (visitor !== 'anonymous' || outcome !== undefined) return sendPage(reply, render());
    return sendPage(reply, kept.find('/', identifyData(view), render));
  });
}
