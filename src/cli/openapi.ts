import { buildApp } from '../api/app.ts';
import { renderContract } from '../api/contract.ts';
import { readConfig } from '../base/config/config.ts';
import { createLog } from '../base/observability/log.ts';
import { createSite } from '../base/site.ts';
import type { Command } from '../base/terminal/command.ts';
import { showPreview } from '../portal/pages/reconcile-preview.ts';
import { openServices } from '../services/services.ts';

export const command: Command = {
  name: 'openapi',
  help: 'Prints the contract of this version as JSON. It needs no database and no configuration.',
  examples: [['openapi > openapi.json', 'Save the contract, for example to generate a client.']],
  async run() {
    process.stdout.write(await printContract());
  },
};

/**
 * Routes add themselves to the contract when they are registered, so the services are opened but never used. They are
 * opened on PostgreSQL, which is not contacted before the first query.
 */
export async function printContract(): Promise<string> {
  const { log } = createLog('silent');
  const services = openServices(readConfig({ DATABASE_URL: 'postgres://unused' }), { log });
  const publicUrl = () => '';
  const site = createSite({ url: publicUrl });
  const { contract } = buildApp({
    ...services,
    publicUrl,
    site,
    corsOrigins: [],
    trustedProxies: [],
    showPreview,
  });
  try {
    return renderContract(contract());
  } finally {
    await services.close();
  }
}
