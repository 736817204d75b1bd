import './quick-resolve.ts';
import { isDeep } from './depth.ts';
import { setPatience } from './limits.ts';

/**
 * Loaded before test files and the servers they start (`--import`): requests wait ten times as long for a database or a
 * provider, because `npm test` runs on busy machines. Files that test these times import `impatient.ts`.
 */
setPatience(Number(process.env.PATIENCE ?? (isDeep ? 1 : 10)));
