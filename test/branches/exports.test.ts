import { test } from 'node:test';
import { checkBranches } from './check.ts';
import { exportExceptions } from './exceptions.ts';

test('the data of test/branches/export-run.ts takes every branch of src/exports', () =>
  checkBranches('export-run.ts', 'src/exports', exportExceptions));
