import type { ReadIssuerSettings } from '../accounts/issuer.ts';
import { type Config, readConfig, readEnvironment } from '../base/config/config.ts';
import { createLog, createReadableLog, type LogHandle } from '../base/observability/log.ts';
import { CommandError } from '../base/terminal/command.ts';
import type { ReadPaymentSettings } from '../billing/provider.ts';
import { openServices, type Services } from './services.ts';

/** The opened parts, which are closed at the end of the scope: use `await using`. */
export interface Opened extends AsyncDisposable {
  readonly config: Config;
  readonly services: Services;
  readonly relayLog: LogHandle['relay'];
}

interface OpenOptions {
  readonly demo?: boolean;
  readonly issuer?: ReadIssuerSettings;
  readonly payments?: ReadPaymentSettings;
  /** Opens the log. By default, the log of commands, which shows only warnings, on standard error. */
  readonly openLog?: (config: Config) => LogHandle;
}

/** Reads the configuration and opens the log and the services, for commands that work on data. */
export function open({ demo = false, openLog = openCommandLog, ...providers }: OpenOptions = {}): Opened {
  const config = readConfig(readEnvironment(), { demo });
  const { log, relay, close: closeLog } = openOrDescribe(config, () => openLog(config));
  const services = openOrDescribe(config, () => openServices(config, { log, ...providers }));
  return {
    config,
    services,
    relayLog: relay,
    async [Symbol.asyncDispose]() {
      await services.close();
      await closeLog();
    },
  };
}

/** Opens the log of a command. Commands print their results themselves, on standard output. */
function openCommandLog({ logLevel }: Config): LogHandle {
  const level = logLevel === 'info' ? 'warn' : logLevel;
  return process.stderr.isTTY ? createReadableLog(level, process.stderr) : createLog(level, process.stderr);
}

/** PostgreSQL is connected later, so any error here comes from DATA_DIR or a file in it. */
function openOrDescribe<T>(config: Config, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(`DATA_DIR ${config.dataDir} cannot be used: ${error.message}.`);
  }
}
