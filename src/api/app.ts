import { createExecutor, type Executor } from '../accounts/charging/execute.ts';
import { createIdentify } from '../accounts/charging/identify.ts';
import type { UserOperation } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { createErrorLog } from '../base/observability/error-log.ts';
import { type App, createApp } from '../http/app.ts';
import { describeError } from '../http/errors.ts';
import { checkExpectation, checkHost, requireSite } from '../http/host.ts';
import { defaultTransportLimits, type TransportLimits } from '../http/limits.ts';
import type { AppServices } from './app-services.ts';
import { type Contract, checkRoute, describeContract, renderContract } from './contract.ts';
import { createOriginRules } from './serving/cors.ts';
import { operations } from './table.ts';

/**
 * The JSON API: routes of the server (`http/`), built from services. This folder owns what the API promises: authentication, charged
 * routes, the contract. It does not own the process that runs the app (`server/`), the rules of the domain or any SQL.
 */
interface BuiltApp {
  readonly app: App;
  /** The contract of the routes. Call it when all routes are registered. */
  readonly contract: () => Contract;
  /** Runs the charged operations of the API and of the pages. */
  readonly executor: Executor;
  /** The operations that pages can run for a signed-in user, by id. */
  readonly userOperations: ReadonlyMap<string, UserOperation>;
}

export function buildApp(services: AppServices, limits: TransportLimits = defaultTransportLimits): BuiltApp {
  const { log, metrics, site, version, clock, apiKeys, reconcileLinks, meter, shared, corsOrigins } = services;
  const { trustedProxies, showFailure } = services;
  const errorLog = createErrorLog(log);
  const style = { docsUrl: () => `${services.publicUrl()}/docs/errors`, showFailure, errorLog };
  const rules = {
    checkRoute,
    ...createOriginRules(corsOrigins),
    check(request) {
      checkHost(request.raw);
      if (site.isClosed) requireSite(request.raw, site);
      checkExpectation(request.raw);
      if (request.url.length > limits.urlLength) throw fail('uri_too_long');
    },
    admit({ raw }, { operation }) {
      // Pages are not operations: they say themselves what they cannot show yet.
      if (operation !== undefined && operation.needsNoData !== true && !services.isPrepared()) throw starting();
      // A browser sends its cookies to pages and to operations with a session. Others answer under any name: probes use an address, and
      // API clients send a key that no browser adds by itself.
      if ((operation?.authentication ?? 'session') === 'session') requireSite(raw, site);
    },
  } satisfies Parameters<typeof createApp>[0]['rules'];
  const app = createApp({ log, metrics, style, trustedProxies, limits, rules });

  const guesses = { maxDelayMs: limits.guessDelayMs, guesses: shared.guesses };
  const executor = createExecutor({ identify: createIdentify({ apiKeys, reconcileLinks, guesses }), meter });
  // What is not sent of an answer when the server stops is refunded before the database is closed.
  app.onClose(() => executor.whenDelivered());
  app.onClose(() => errorLog.close());
  let described: Contract | undefined;
  const contract = () => {
    described ??= describeContract(app.routes, version);
    return described;
  };
  const api = {
    ...services,
    ...{ executor, limits, now: () => clock.now(), contract: () => renderContract(contract()) },
    reportFailure: errorLog.report,
    describeError: (error: unknown, requestId: string) => describeError(error, requestId, style),
  };
  const userOperations = new Map<string, UserOperation>();
  for (const row of operations) {
    const { serve, ...route } = row;
    const { forUser, ...served } = serve(api);
    app.route({ ...route, ...served, operation: row });
    if (forUser !== undefined) userOperations.set(row.operationId, forUser);
  }
  return { app, contract, executor, userOperations };
}

function starting(): Error {
  return fail('service_unavailable', { message: 'The service is starting: try again shortly.', retryAfter: 1 });
}
