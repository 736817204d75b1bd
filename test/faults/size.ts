import { type Engine, engines } from '../harness/databases.ts';

/**
 * How much the faults are made of. The short form is part of `npm test`; `npm run test:faults` is the whole one. The
 * same tests run in both, so that the short form proves each point at least once.
 */
const isWhole = process.env.FAULTS === 'whole';

export const size = isWhole
  ? {
      /** For what does not depend much on the database, and takes long. */
      engines,
      crashes: 10,
      pauseMs: 10_000,
      killedImports: 10,
      importRows: 60_000,
      outages: ['down', 'silent', 'cut off', 'garbage', 'noise'] as const,
      events: 5_000,
      idleConnections: 5_000,
      hangUps: 2_000,
      soakMs: Number(process.env.SOAK_SECONDS ?? 180) * 1_000,
    }
  : {
      engines: ['sqlite'] as readonly Engine[],
      crashes: 2,
      // test/races/outage.test.ts has a pause of 3.5 s.
      pauseMs: 5_000,
      // test/registry/import-process.test.ts has five more, at fixed times.
      killedImports: 3,
      importRows: 4_000,
      // test/api/billing.test.ts and test/accounts/tokens.test.ts have the others, in process.
      outages: ['silent', 'garbage'] as const,
      events: 600,
      idleConnections: 1_000,
      hangUps: 300,
      soakMs: Number(process.env.SOAK_SECONDS ?? 20) * 1_000,
    };

/** For tests of which the whole form takes minutes. */
export const LONG = { timeout: size.soakMs + 600_000 };
