import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMessage } from '../../src/reconciliation/message-text.ts';
import { readExtendQuery, readNamedQueries } from '../../src/reconciliation/messages-0-2.ts';
import { readListedQueries } from '../../src/reconciliation/messages-1-0.ts';
import { type Example, isValidMessage, listExamples, withoutSpecs } from './official.ts';

/** What our endpoints do with a message of a client. Replies of services, such as manifests, are read by clients only. */
function accepts({ version, message, text }: Example): boolean | undefined {
  const read = {
    'reconciliation-query-batch': () =>
      version === '0.2' ? readNamedQueries(text, undefined) : readListedQueries(JSON.parse(text), undefined),
    'data-extension-query': () => readExtendQuery(parseMessage(text, 'extend')),
  }[message];
  if (read === undefined) return undefined;
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe('the official examples', { skip: withoutSpecs }, () => {
  test('all 95 with a schema are as labelled, and our readers agree about those that a client sends', () => {
    let checked = 0;
    let read = 0;
    for (const example of listExamples()) {
      const { version, message, isValid, file, text } = example;
      const bySchema = isValidMessage(version, message, JSON.parse(text));
      if (bySchema === undefined) continue;
      checked++;
      assert.equal(bySchema, isValid, file);
      const byUs = accepts(example);
      if (byUs === undefined) continue;
      read++;
      assert.equal(byUs, isValid, `${file}: our reader ${byUs ? 'accepts' : 'rejects'} it`);
    }
    assert.deepEqual([checked, read], [COUNT, READ]);
  });
});

/** Examples whose folder has a schema of its own, and those of them that are queries. */
const COUNT = 95;
const READ = 23;
