import { Cron } from 'croner';

/** When scheduled updates start: the value of UPDATE. All times are in UTC, so that no hour is skipped or repeated. */
export interface UpdateTimes {
  findLatest(now: number): number;
}

const SECOND = 1_000;

/** Reads `daily@HH:MM` or a cron expression of five fields. Undefined if the text is neither, or if the time never comes. */
export function parseUpdateTimes(text: string): UpdateTimes | undefined {
  const cron = parseCron(text);
  if (cron?.nextRun() == null) return undefined;
  return {
    // The library counts in seconds, and does not return the given time itself as a previous run, so the search starts one second later.
    findLatest(now) {
      const [latest] = cron.previousRuns(1, new Date(Math.floor(now / SECOND) * SECOND + SECOND));
      return latest?.getTime() ?? Number.NEGATIVE_INFINITY;
    },
  };
}

function parseCron(text: string): Cron | undefined {
  const [, hour, minute] = /^daily@([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  const expression = hour === undefined ? text : `${minute} ${hour} * * *`;
  // The library also accepts dates and names such as "@daily", which are not allowed here.
  if (expression.split(/\s+/).length !== 5) return undefined;
  try {
    return new Cron(expression, { mode: '5-part', timezone: 'UTC', paused: true });
  } catch {
    return undefined;
  }
}
