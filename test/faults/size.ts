import { isDeep } from '../harness/depth.ts';

const ALL_OUTAGES = ['down', 'silent', 'cut off', 'garbage', 'noise'] as const;

/**
 * The size of the fault tests. `npm test` runs the same tests as `npm run test:deep`, except the soak test, so the short
 * form proves each point at least once.
 */
export const size = isDeep
  ? {
      pauseMs: 10_000,
      killedImports: 10,
      importRows: 60_000,
      paymentOutages: ALL_OUTAGES,
      issuerOutages: ALL_OUTAGES,
      events: 5_000,
      idleConnections: 5_000,
      hangUps: 2_000,
      damages: 6,
    }
  : {
      // And until requests are refused.
      pauseMs: 1_000,
      // test/registry/import-process.test.ts kills five more imports, at fixed times.
      killedImports: 2,
      importRows: 3_000,
      // test/api/billing-unavailable.test.ts tests all kinds of answers in process.
      paymentOutages: ['silent'] as const,
      // test/accounts/token-keys.test.ts tests an issuer that is down, in process.
      issuerOutages: ['silent', 'garbage'] as const,
      events: 250,
      idleConnections: 500,
      hangUps: 200,
      damages: 2,
    };

export const SOAK_MS = Number(process.env.SOAK_SECONDS ?? 180) * 1_000;

/** For tests whose deep form takes minutes. */
export const LONG = { timeout: SOAK_MS + 600_000 };
