import { createLog } from '../../src/observability/log.ts';
import { type App, createApp } from '../../src/transport/app.ts';

/** The server alone, without the routes of the service. */
export function createPlainApp(): App {
  const { log } = createLog('silent');
  const style = { docsUrl: () => '', errorLog: { report: () => undefined } };
  return createApp({ log, metrics: { observeRequest: () => undefined }, style });
}
