import { fail } from '../../core/errors.ts';
import { decodeBody } from '../../core/json/utf8.ts';
import type { App } from '../app-type.ts';

/** Reads JSON bodies: plain UTF-8 only, so that every text is stored exactly as it was sent, or not at all. */
export function readJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      checkCoding(request.headers['content-encoding']);
      checkCharset(request.headers['content-type']);
      parse(request, decodeBody(body), done);
    } catch (error) {
      done(error as Error);
    }
  });
}

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
