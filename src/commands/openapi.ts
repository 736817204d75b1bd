import { buildApp } from '../http/app.ts';
import { renderContract } from '../http/routes/openapi.ts';
import { createLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import { version } from '../services.ts';
import type { Command } from '../terminal/command.ts';

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the API contract (OpenAPI 3.1).',
  help: 'Prints the contract of this version as JSON. It needs no database and no configuration.',
  async run() {
    process.stdout.write(await printContract());
  },
};

/** The routes describe themselves when they are registered; nobody asks the services. */
export async function printContract(): Promise<string> {
  const { app, contract } = buildApp({
    version,
    publicUrl: () => '',
    log: createLog('silent').log,
    metrics: createMetrics(),
    isReady: async () => false,
    isPrepared: () => false,
    registry: unasked(),
    search: unasked(),
    apiKeys: unasked(),
    shared: unasked(),
    meter: unasked(),
    clock: unasked(),
    sessions: unasked(),
    billing: unasked(),
  });
  await app.ready();
  return renderContract(contract());
}

function unasked<T extends object>(): T {
  return {} as T;
}
