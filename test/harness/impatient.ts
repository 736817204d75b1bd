import { hasExactTimes } from './depth.ts';
import { setPatience } from './limits.ts';

/**
 * For files that wait until requests time out, also in the servers they start. In the load run the times are those of production;
 * the others take three times as long, so that requests that must succeed do so on a busy machine.
 */
setPatience(hasExactTimes ? 1 : 3);
