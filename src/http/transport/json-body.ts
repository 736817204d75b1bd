import { fail } from '../../core/errors.ts';
import { exceedsBounds } from '../../core/json/json-bounds.ts';
import { decodeBody } from '../../core/json/utf8.ts';
import type { App } from '../app-type.ts';

/** A change of a monitor that adds and removes 1,000 companies each has 6,000 values in 4 levels. */
export const JSON_BOUNDS = { maxDepth: 16, maxValues: 10_000 };

/**
 * Reads JSON bodies: plain UTF-8 only, so that every text is stored exactly as it was sent, or not at all. Bodies with too many values are
 * rejected before anything is built from them: to build and validate a million values takes seconds.
 */
export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      checkCoding(request.headers['content-encoding']);
      checkCharset(request.headers['content-type']);
      const text = decodeBody(body);
      if (exceedsBounds(text, JSON_BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
      parse(request, text, done);
    } catch (error) {
      done(error as Error);
    }
  });
}

const TOO_COMPLEX = `The body is too complex: send at most ${JSON_BOUNDS.maxValues} values in at most ${JSON_BOUNDS.maxDepth} levels.`;

function checkCoding(coding: string | undefined): void {
  if (coding === undefined || coding.trim() === '' || coding.trim().toLowerCase() === 'identity') return;
  throw fail('unsupported_media_type', {
    message: 'Send the body without Content-Encoding: it must not be compressed.',
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

function checkCharset(type: string | undefined): void {
  const charset = CHARSET.exec(type ?? '')?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return;
  throw fail('unsupported_media_type', {
    message: 'Send the body as application/json in UTF-8, without another charset.',
  });
}
