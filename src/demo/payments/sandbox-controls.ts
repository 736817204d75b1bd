import type { FastifyInstance } from 'fastify';
import { requireKey } from './api.ts';
import type { Deliveries } from './deliveries.ts';
import { PaymentError } from './errors.ts';
import { parseForm } from './form.ts';
import { type Ledger, TIME } from './ledger.ts';
import { Parameters } from './parameters.ts';
import { advanceTo, catchUp } from './time.ts';

/** What only a sandbox can do: let time pass, and make deliveries go wrong. For programs; people use the portal page. */
export interface ControlServices {
  readonly ledger: Ledger;
  readonly deliveries: Deliveries;
}

export interface DeliveryWishes {
  readonly duplicate?: boolean | undefined;
  readonly reorder?: boolean | undefined;
  readonly hold?: boolean | undefined;
  /** Lets go what was held, and tries again what was given up. */
  readonly release?: boolean | undefined;
}

const FAR_FUTURE = 32_503_680_000;

export function registerSandboxControls(app: FastifyInstance, prefix: string, services: ControlServices): void {
  const { ledger } = services;
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => requireKey(request, ledger.state.secretKey));
    scope.setErrorHandler((error, _request, reply) => {
      if (!(error instanceof PaymentError)) throw error;
      return reply.code(error.status).send(error.toBody());
    });

    scope.post(`${prefix}/sandbox/deliveries`, async ({ body }) => {
      const params = new Parameters(parseForm(String(body ?? '')));
      const read = (name: string) => params.flag(name);
      const [duplicate, reorder, hold, release] = ['duplicate', 'reorder', 'hold', 'release'].map(read);
      params.refuseOthers();
      setDeliveries(services, { duplicate, reorder, hold, release });
      return { ...ledger.state.delivery, undelivered: ledger.state.undelivered.length };
    });

    scope.post(`${prefix}/sandbox/time`, async ({ body }) => {
      const params = new Parameters(parseForm(String(body ?? '')));
      const seconds = params.integer('advance', 0, FAR_FUTURE) ?? 0;
      params.refuseOthers();
      catchUp(ledger);
      ledger.change(TIME, () => advanceTo(ledger, ledger.now() + seconds));
      return { now: ledger.now() };
    });
  });
}

export function setDeliveries({ ledger, deliveries }: ControlServices, wishes: DeliveryWishes): void {
  const { delivery } = ledger.state;
  ledger.change(TIME, () => {
    delivery.duplicate = wishes.duplicate ?? delivery.duplicate;
    delivery.reorder = wishes.reorder ?? delivery.reorder;
    delivery.hold = wishes.release === true ? false : (wishes.hold ?? delivery.hold);
  });
  if (wishes.release === true) deliveries.retryAll();
}
