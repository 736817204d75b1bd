/** The service's own record of one day (UTC). */
export interface StatusDay {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly starts: number;
  /** The number of readiness checks, and how many of them found the service ready. */
  readonly checks: number;
  readonly ready: number;
  /** The highest number of registers whose data was overdue at the same time. */
  readonly overdue: number;
  readonly imports: number;
  readonly changes: number;
}

export interface Incident {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly title: string;
  readonly text: string;
}

const HEADING = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?(?: UTC)?:? +(\S.*)$/;

/** Incidents in a text, the newest first. Each starts with a line such as `## 2026-11-18 14:00 Search was slow`. Other text is left out. */
export function parseIncidents(text: string): Incident[] {
  const found = text.split(/^## +/m).flatMap((section): Incident[] => {
    const [heading = '', ...lines] = section.split(/\r?\n/);
    const [, day, time = '00:00', title] = HEADING.exec(heading.trim()) ?? [];
    const at = Date.parse(`${day}T${time}:00Z`);
    if (title === undefined || Number.isNaN(at)) return [];
    return [{ at: new Date(at).toISOString(), title, text: lines.join('\n').trim() }];
  });
  return found.sort((a, b) => (a.at < b.at ? 1 : -1));
}
