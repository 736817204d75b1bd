import './quick-resolve.ts';
import { hasExactTimes } from './depth.ts';
import { setPatience } from './limits.ts';

/**
 * Loaded before test files and the servers they start (`--import`): requests wait ten times as long for a database or a
 * provider, because tests run on busy machines. The load run, on an idle one, has the times of production. Files that test these times import
 * `impatient.ts`.
 */
setPatience(Number(process.env.PATIENCE ?? (hasExactTimes ? 1 : 10)));
