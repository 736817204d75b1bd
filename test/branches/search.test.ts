import { test } from 'node:test';
import { checkBranches } from './check.ts';
import { searchExceptions } from './exceptions.ts';

test('the data of test/branches/search-run.ts takes every branch of src/search/memory', () =>
  checkBranches('search-run.ts', 'src/search/memory', searchExceptions));
