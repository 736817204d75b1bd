import { hash } from 'node:crypto';
import { keepCompressed } from '../../base/system/compression.ts';
import type { DataContent } from '../charged/operation.ts';

/** The reply with all codes of a classification. Their counts may be those of the version before, so the entity tag depends on them. */
export function describeCodes(version: string, data: readonly object[]): DataContent {
  const text = JSON.stringify({ data, meta: { count: data.length } });
  const digest = hash('sha256', text).slice(0, 16);
  return { version: `${version}.${digest}`, body: keepCompressed(Buffer.from(text)) };
}
