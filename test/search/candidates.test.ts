import { testCandidates } from './candidate-cases.ts';
import { sources } from './candidates.ts';

for (const [name, open] of Object.entries(sources)) testCandidates(name, open);
