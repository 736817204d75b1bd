import { isDeep } from '../harness/depth.ts';

/**
 * The size of the fault tests. `npm test` runs the same tests as `npm run test:deep`, except the soak test, so the short
 * form proves each point at least once.
 */
export const size = isDeep
  ? {
      crashes: 10,
      pauseMs: 10_000,
      killedImports: 10,
      importRows: 60_000,
      outages: ['down', 'silent', 'cut off', 'garbage', 'noise'] as const,
      events: 5_000,
      idleConnections: 5_000,
      hangUps: 2_000,
      damages: 6,
    }
  : {
      crashes: 2,
      // test/races/outage.test.ts pauses PostgreSQL for 3.5 s.
      pauseMs: 4_000,
      // test/registry/import-process.test.ts kills five more imports, at fixed times.
      killedImports: 2,
      importRows: 3_000,
      // test/api/billing-unavailable.test.ts and test/accounts/token-keys.test.ts test the others in process.
      outages: ['silent', 'garbage'] as const,
      events: 400,
      idleConnections: 500,
      hangUps: 200,
      damages: 2,
    };

export const SOAK_MS = Number(process.env.SOAK_SECONDS ?? 180) * 1_000;

/** For tests whose deep form takes minutes. */
export const LONG = { timeout: SOAK_MS + 600_000 };
