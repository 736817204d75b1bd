import type { Html } from '../base/html.ts';
import { keepCompressed } from '../base/system/compression.ts';
import type { Country, RegisterState } from '../registry/registry.ts';

/**
 * Pages that are equal for all visitors who are not signed in. A page is rendered again only when its content has changed, and the same
 * bytes are sent each time, so that they are compressed only once. A client that requests such a page in a loop costs no more
 * than a client that requests an image.
 */
export function createKeptPages() {
  const pages = new Map<string, { readonly shown: unknown; readonly body: Buffer }>();
  return {
    /** `shown` identifies the content of the page: while this value does not change, the page is not rendered again. */
    find(address: string, shown: unknown, render: () => Html): Buffer {
      const kept = pages.get(address);
      if (kept !== undefined && kept.shown === shown) return kept.body;
      const body = keepCompressed(Buffer.from(render().text));
      pages.set(address, { shown, body });
      return body;
    },
  };
}

/** Identifies the content of pages about the data. Such pages also show the age of the data, so they are rendered again once per second. */
export function identifyData(countries: readonly Country[], registers: readonly RegisterState[], now: number): string {
  const served = countries.map(({ code, enabled }) => (enabled ? code : ''));
  const held = registers.map(({ register: _, ...state }) => state);
  return JSON.stringify([served, held, Math.floor(now / 1_000)]);
}
