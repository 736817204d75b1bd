import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import { fail, statusOf } from '../../core/errors.ts';
import { isUuid } from '../../core/ids.ts';
import { portalCaller } from '../../core/usage.ts';
import { charge } from '../../metering/charge.ts';
import type { Meter } from '../../metering/meter.ts';
import type { Registry } from '../../registry/registry.ts';
import { entityPage, signInToReadPage } from '../pages/entity.ts';
import { limitPage } from '../pages/problem.ts';
import { limitNotice } from '../parts/limit-notices.ts';
import { sendPage } from '../send-page.ts';
import { describeVisitor, findSignedIn, type VisitorServices } from '../visitor.ts';

export interface EntityPageServices extends VisitorServices {
  readonly publicUrl: () => string;
  readonly registry: Pick<Registry, 'findEntity'>;
  readonly meter: Pick<Meter, 'take' | 'refund'>;
  readonly clock: Clock;
}

export function registerEntity(app: FastifyInstance, services: EntityPageServices): void {
  const { publicUrl, registry, meter, clock } = services;

  async function findText(id: string): Promise<string> {
    const entity = await registry.findEntity(id);
    if (entity === undefined) throw fail('entity_not_found');
    return entity.text;
  }

  app.get<{ Params: { id: string } }>('/entities/:id', async (request, reply) => {
    const { id } = request.params;
    const signedIn = await findSignedIn(request, services);
    if (signedIn === undefined) {
      if (!isUuid(id)) throw fail('entity_not_found');
      return sendPage(reply.code(statusOf('session_required')), signInToReadPage(`/entities/${id.toLowerCase()}`));
    }
    const charged = await charge(meter, portalCaller(signedIn.account), { read: () => readId(id), work: findText });
    const visitor = describeVisitor(signedIn);
    if (charged.outcome === 'denied') {
      const notice = limitNotice(charged, signedIn.account.plan, clock.now());
      return sendPage(reply.code(statusOf(charged.code)), limitPage(notice, visitor));
    }
    const { answer: text, limits } = charged;
    return sendPage(reply, entityPage({ visitor, publicUrl: publicUrl(), text, left: limits.quota.remaining }));
  });
}

/** Users see a malformed id as not found, not as an invalid request. */
function readId(id: string): string {
  if (!isUuid(id)) throw fail('entity_not_found');
  return id.toLowerCase();
}
