import { serveThread } from '../../src/base/system/thread.ts';
import type { InventThread } from './data.ts';
import { createInventor } from './entities.ts';

const BATCH = 2_000;

void serveThread<InventThread>(
  {
    async *invent(rows) {
      const invent = createInventor(rows);
      for (let serial = 0; serial < rows; ) {
        const texts: string[] = [];
        for (let count = 0; count < BATCH && serial < rows; count++) texts.push(...invent(++serial));
        yield texts.join('\0');
      }
    },
  },
  { maxAhead: 1 },
);
