import { createLog } from '../../src/base/observability/log.ts';
import { type App, createApp } from '../../src/http/app.ts';

/** The server alone, without the routes of the service. */
export function createPlainApp(): App {
  const { log } = createLog('silent');
  const style = { docsUrl: () => '', errorLog: { report: () => undefined } };
  return createApp({ log, metrics: { observeRequest: () => undefined }, style });
}
