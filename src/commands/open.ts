import type { ReadIssuerSettings } from '../accounts/issuer.ts';
import type { ReadPaymentSettings } from '../billing/provider.ts';
import { type Config, readConfig, readEnvironment } from '../config.ts';
import { createLog, type LogHandle } from '../observability/log.ts';
import { openServices, type Services } from '../services.ts';
import { CommandError } from '../terminal/command.ts';

export interface Opened {
  readonly config: Config;
  readonly services: Services;
  readonly relayLog: LogHandle['relay'];
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly demo?: boolean;
  /** Another identity provider than the configured one. */
  readonly issuer?: ReadIssuerSettings;
  /** Another payment provider than the configured one. */
  readonly payments?: ReadPaymentSettings;
}

/** What every command that works on data begins with: configuration, log, services. */
export function open({ demo = false, ...others }: OpenOptions = {}): Opened {
  const config = readConfig(readEnvironment(), { demo });
  const { log, relay, close: closeLog } = createLog(config.logLevel);
  const services = openOrExplain(config, () => openServices(config, { log, ...others }));
  return {
    config,
    services,
    relayLog: relay,
    async close() {
      await services.close();
      await closeLog();
    },
  };
}

/** PostgreSQL is connected to later; what fails here is the folder or a file in it. */
function openOrExplain<T>(config: Config, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(`DATA_DIR ${config.dataDir} cannot be used: ${error.message}.`);
  }
}
