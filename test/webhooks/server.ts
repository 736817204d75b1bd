import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/observability/log.ts';
import { openServices } from '../../src/services/services.ts';

/** A server process without HTTP: all its background work, with receivers on this machine. Its parent kills it. */
const { log } = createLog('error');
const services = openServices(readConfig(process.env), {
  log,
  webhooks: { rules: { ports: [], allowsLoopback: true }, timeoutMs: 1_000 },
});
await services.prepare();
process.stdout.write('ready\n');
