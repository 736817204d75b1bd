import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { type Config, version } from '../base/config/config.ts';
import { CommandError } from '../base/terminal/command.ts';
import type { createDisplay } from '../base/terminal/progress.ts';
import { printable } from '../base/terminal/table.ts';
import { loadOverrides, type Overrides, OverridesError } from '../import/fetch/overrides.ts';
import { DEFAULT_LIMITS } from '../import/fetch/requests.ts';
import type { FetchProgress, SourceSettings } from '../import/fetch/snapshot.ts';
import { recognizeFile } from '../import/reading/recognize.ts';
import { registers } from '../registers/index.ts';

export function loadSourceSettings({
  dataDir,
  parties,
  fetch: { keep, proxies, sourcesFile },
}: Config): SourceSettings {
  return {
    folder: join(dataDir, 'sources'),
    keep,
    proxies,
    overrides: loadOverridesOrFail(sourcesFile),
    userAgent: `Firmament/${version} (company register importer)`,
    clock: systemClock,
    limits: DEFAULT_LIMITS,
    parties,
    async recognize(path, register) {
      const { close } = await recognizeFile(path, register);
      await close();
    },
  };
}

function loadOverridesOrFail(file: string | undefined): Overrides {
  if (file === undefined) return new Map();
  try {
    const ids = registers.map(({ id }) => id);
    return loadOverrides(file, ids);
  } catch (error) {
    throw error instanceof OverridesError ? new CommandError(printable(error.message)) : error;
  }
}

/** Shows the progress and speed of a download. The speed does not count the part that an earlier run downloaded. */
export function showDownload(id: string, update: ReturnType<typeof createDisplay>['update']) {
  return ({ file, bytes, totalBytes }: FetchProgress) => {
    update({ text: printable(`${id} ${file}`), done: bytes, total: totalBytes });
  };
}
