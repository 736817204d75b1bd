import { setPatience } from '../../src/core/patience.ts';

/** For files that test how long a request waits: the times are those of production, also in the servers they start. */
process.env.PATIENCE = '1';
setPatience(1);
