import type { Clock } from '../../core/clock.ts';
import { fail, statusOf } from '../../core/errors.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Search } from '../../search/search.ts';
import { type Deadline, startDeadline, within } from '../../system/deadline.ts';
import type { Routes } from '../../transport/app.ts';
import { findPage } from '../find-page.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { homePage, SAMPLE_QUERY } from '../pages/home.ts';
import type { FoundPage } from '../parts/search/results.ts';
import { describeMistake, type Preview } from '../preview.ts';
import { sendPage } from '../send-page.ts';
import { findVisitor, type VisitorServices } from '../visitor.ts';

export interface HomeServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly registry: Pick<Registry, 'listCountries' | 'listRegisters'>;
  readonly clock: Clock;
  readonly preview: Preview;
  readonly search: Pick<Search, 'find' | 'version'>;
}

/** Searches of the page itself, which ClickHouse limits like those of an account. */
const SAMPLE_ACCOUNT = 'home';

/** Where programs that start at the home page find the contract and the documentation (RFC 8631). */
const SERVICE_LINKS =
  '</api/v1/openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html"';

export function registerHome(app: Routes, services: HomeServices): void {
  const { publicUrl, registry, clock, preview, search } = services;
  const kept = createKeptPages();
  let sample: { readonly version: string; readonly page: FoundPage | undefined } | undefined;

  /** The answer that the page shows beside its request, searched once per version of the data. The page does without it if search fails. */
  async function readSample(deadline: Deadline): Promise<FoundPage | undefined> {
    try {
      const version = await search.version();
      if (sample?.version !== version) {
        const page = await within(deadline, findPage(search, SAMPLE_QUERY, SAMPLE_ACCOUNT, deadline), 'the example');
        sample = { version, page: page.data.length === 0 ? undefined : page };
      }
      return sample.page;
    } catch {
      return undefined;
    }
  }

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
    const view = {
      visitor,
      publicUrl: publicUrl(),
      countries,
      registers,
      now,
      q,
      outcome,
      sample: await readSample(deadline),
    };
    const render = () => homePage(view);
    if (visitor !== 'anonymous' || outcome !== undefined) return sendPage(reply, render());
    return sendPage(reply, kept.find('/', `${identifyData(view)} ${sample?.version}`, render));
  });
}
