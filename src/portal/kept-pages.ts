import type { Html } from '../base/html.ts';
import { keepCompressed } from '../base/system/compression.ts';
import type { Country, RegisterState } from '../registry/registry.ts';

/**
 * Pages that are the same for every visitor who is not signed in. Each is rendered again only when what it shows has changed, and
 * it is sent as the same bytes each time, so that it is also compressed once. A client that requests such a page in a loop costs
 * no more than one that requests an image.
 */
export interface KeptPages {
  /** `shown` identifies what the page shows: if it is the same value as last time, the page is not rendered. */
  find(address: string, shown: unknown, render: () => Html): Buffer;
}

export function createKeptPages(): KeptPages {
  const pages = new Map<string, { readonly shown: unknown; readonly body: Buffer }>();
  return {
    find(address, shown, render) {
      const kept = pages.get(address);
      if (kept !== undefined && kept.shown === shown) return kept.body;
      const body = keepCompressed(Buffer.from(render().text));
      pages.set(address, { shown, body });
      return body;
    },
  };
}

/** Identifies what pages about the data show. They also show how old the data is, so they are rendered again once per second. */
export function identifyData({ countries, registers, now }: PublishedData): string {
  const served = countries.map(({ code, enabled }) => (enabled ? code : ''));
  const held = registers.map(({ register: _, ...state }) => state);
  return JSON.stringify([served, held, Math.floor(now / 1_000)]);
}

interface PublishedData {
  readonly countries: readonly Country[];
  readonly registers: readonly RegisterState[];
  readonly now: number;
}
