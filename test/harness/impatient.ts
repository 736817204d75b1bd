import { runs } from './depth.ts';
import { setPatience } from './limits.ts';

/**
 * For files that wait until requests time out, also in the servers they start. In the deep run the times are those of production;
 * `npm test` takes three times as long, so that requests that must succeed do so on a busy machine.
 */
setPatience(runs(3, 1));
