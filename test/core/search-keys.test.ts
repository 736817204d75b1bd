import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityKeys, numberKeys } from '../../src/core/search-keys.ts';

test('each number has one line, and its form without separators unless another line has it', () => {
  assert.equal(numberKeys([]), '');
  assert.equal(numberKeys(['AB-1']), 'ab-1\tab1');
  assert.equal(numberKeys(['', 'AB-1', 'ab-1', 'A/B1', 'ab1', '-']), 'ab-1\na/b1\nab1\n-');
  assert.equal(numberKeys(['AB-1', 'A/B1', '7']), 'ab-1\tab1\na/b1\n7');
});

test('many numbers and activities are listed once each, as few are', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => `N-${index % 30}`);
  const lines = Array.from({ length: 30 }, (_, index) => `n-${index}\tn${index}`);
  assert.equal(numberKeys(numbers), lines.join('\n'));
  const activities = numbers.map((code) => ({ type: 'licensed', code, label: null }) as const);
  assert.equal(activityKeys(activities), Array.from({ length: 30 }, (_, index) => `lN-${index}`).join('\n'));
  assert.equal(activityKeys(activities.slice(0, 2)), 'lN-0\nlN-1');
});
