import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { fail } from '../../core/errors.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Search } from '../../search/search.ts';
import type { Routes } from '../../transport/app.ts';
import { createKeptPages, identifyData } from '../kept-pages.ts';
import { coveragePage } from '../pages/coverage.ts';
import { statusPage } from '../pages/status.ts';
import { sendPage } from '../send-page.ts';
import { findVisitor, type VisitorServices } from '../visitor.ts';

/** Public pages about the data: which registers there are, and whether the service is up. */
export interface RegisterPageServices extends VisitorServices {
  readonly version: string;
  readonly registry: Pick<Registry, 'listCountries' | 'listRegisters'>;
  readonly clock: Clock;
  readonly isReady: () => Promise<boolean>;
  readonly search: Pick<Search, 'listChoices' | 'isReady'>;
}

export function registerRegisterPages(app: Routes, services: RegisterPageServices): void {
  const { version, registry, clock, isReady, isPrepared, search } = services;
  const kept = createKeptPages();

  app.get('/coverage', async (request, reply) => {
    if (!isPrepared()) throw fail('service_unavailable', { retryAfter: 1 });
    const now = clock.now();
    const [visitor, countries, registers, classified] = await Promise.all([
      findVisitor(request, services),
      registry.listCountries(),
      registry.listRegisters(now),
      countClassified(search),
    ]);
    const render = () => coveragePage({ visitor, countries, registers, now, classified });
    if (visitor !== 'anonymous') return sendPage(reply, render());
    const counts = classified && [[...classified.isic], [...classified.elf]];
    const data = identifyData({ countries, registers, now }) + JSON.stringify(counts);
    return sendPage(reply, kept.find('/coverage', data, render));
  });

  // Must work while the database is down, so every read may fail.
  app.get('/status', async (request, reply) => {
    const ready = await isReady();
    const now = clock.now();
    const registers = isPrepared() ? await registry.listRegisters(now).catch(() => undefined) : undefined;
    const visitor = await findVisitor(request, services);
    return sendPage(reply, statusPage({ visitor, version, isReady: ready, registers, now }));
  });
}

/** Undefined if they cannot be counted now: the page has all the rest. */
async function countClassified(search: RegisterPageServices['search']) {
  if (!search.isReady()) return undefined;
  const counted = search.listChoices().catch(() => undefined);
  const choices = await Promise.race([counted, sleep(COUNT_MS, undefined, { ref: false })]);
  return choices && { isic: choices.isic.registers, elf: choices.withElf };
}

/** Counting a large database for the first time takes longer; then the next visitor sees the numbers. */
const COUNT_MS = 500;
