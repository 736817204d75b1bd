import fc from 'fast-check';

/** Any request to a data path that the parser accepts: most of them are valid, because those take the data lane. */
export type KeyRole = 'good' | 'limited' | 'spent' | 'unknown' | 'malformed';

export interface LaneRequest {
  /** The id that the client has sent, if it is valid. */
  readonly requestId: string | undefined;
  /** The request as it is sent, with these keys. */
  write(keys: Readonly<Record<KeyRole, string>>): string;
}

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
const SENT_ID = 'b0b0b0b0-1111-4222-8333-444455556666';

const often = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const parameter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('q=alpha', 'q=ALPHA+ltd', 'country=gb', 'pageSize=100', 'page=2', 'q=') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('q=%C5%81%C3%93d', 'q=%E0%A4', 'q=%', 'q=a%00b', 'page=0', 'page=1e1', 'page=%31'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('x=1', 'q', '=', '', 'q=a#b', 'q=a;b', 'q[]=a', '__proto__=1', 'Q=a', 'q=a=b'),
  },
);
const query = fc.array(parameter, { maxLength: 3 }).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));

const target = fc.oneof(
  { weight: 5, arbitrary: query.map((text) => `/api/v1/entities${text}`) },
  { weight: 2, arbitrary: often('', '?', '?x=1', '/', '/GB', '#x').map((rest) => `/api/v1/countries${rest}`) },
  {
    weight: 3,
    arbitrary: often(
      ALPHA,
      ALPHA.toUpperCase(),
      ALPHA.replaceAll('-', '%2D'),
      '00000000-0000-5000-8000-000000000000',
      'malformed',
      '%E0%A4',
      '',
      `${ALPHA}/`,
      `${ALPHA}?x=1`,
      `${ALPHA}?`,
      `${ALPHA}#x`,
      `..%2f${ALPHA}`,
    ).map((id) => `/api/v1/entities/${id}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '/api/v1/Entities',
      '//api/v1/entities',
      '/api/v1/entities%3Fq=a',
      '/api/v1/./entities',
      'http://x/api/v1/entities',
      'http://y/api/v1/entities',
      '/api/v1/entities/../countries',
    ),
  },
);

/** Header lines. `$role` is replaced by the key of that role. */
const credentials = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('X-API-Key: $good', 'authorization: Bearer $good') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'X-API-Key: $limited',
      'X-API-Key: $spent',
      'X-API-Key: $unknown',
      'X-API-Key: $malformed',
      'Authorization: bearer  $good',
      'Authorization: Bearer $unknown',
      'Authorization: Basic $good',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      'X-API-Key: ',
      'X-API-Key:   $good  ',
      'X-API-Key: $good\r\nX-API-Key: $good',
      'X-API-Key: $good\r\nAuthorization: Bearer $unknown',
      'X-API-Key: $unknown\r\nAuthorization: Bearer $good',
      'X-API-Key: \r\nAuthorization: Bearer $good',
      'Cookie: session=$good',
    ),
  },
);

const acceptEncoding = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'gzip',
        'br',
        'zstd',
        'gzip, deflate, br, zstd',
        '*',
        'identity',
        '',
        'gzip;q=0',
        'GZIP',
        'br;q=0.5, gzip;q=1.0',
        'identity;q=0, br',
        '*;q=0',
        'gzip;q=2',
        ',,',
        'x-gzip',
        'identity;q=0',
      )
      .map((value) => `Accept-Encoding: ${value}`),
  },
  { weight: 1, arbitrary: fc.constant('accept-encoding: identity;q=0\r\nAccept-Encoding: gzip') },
);

const host = often(
  'Host: x',
  'Host: other.test',
  'Host: x:80',
  'Host: x\r\nHost: x',
  'Host: a b',
  'Host: ',
  'Host: [::1]',
  '',
);
const sentId = often(
  '',
  `X-Request-ID: ${SENT_ID}`,
  `x-request-id: ${SENT_ID.toUpperCase()}`,
  'X-Request-ID: x", "y',
  `X-Request-ID: ${SENT_ID}\r\nX-Request-ID: ${SENT_ID}`,
);
const rare = often(
  '',
  'If-None-Match: *',
  'If-None-Match: "x"',
  'If-None-Match: ',
  'Origin: https://pages.test',
  'Origin: https://other.test',
  'Expect: 100-continue',
  'Expect: tea',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: TE',
  'Keep-Alive: timeout=1',
  'Content-Length: 0',
  'Content-Type: application/json',
  'Range: bytes=0-3',
  'If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT',
  'Accept: text/html',
  'Accept-Version: 1.x',
  'Upgrade: websocket',
);
const forwarded = often(
  '',
  'X-Forwarded-For: 203.0.113.9',
  'X-Forwarded-For: 1.2.3.4, 203.0.113.9:4711',
  'X-Forwarded-For: x", "y',
  'X-Forwarded-For: fe80::1%eth0',
  'X-Forwarded-For: ',
);
const body = often(
  '',
  'Content-Length: 2\r\n\r\n{}',
  'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{"x',
);

export const laneRequest: fc.Arbitrary<LaneRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant('GET') },
      { weight: 2, arbitrary: fc.constant('HEAD') },
      { weight: 1, arbitrary: fc.constantFrom('POST', 'OPTIONS', 'DELETE') },
    ),
    target,
    version: often('1.1', '1.0'),
    headers: fc.tuple(host, credentials, acceptEncoding, sentId, rare, rare, forwarded),
    body,
  })
  .map(({ method, target, version, headers, body }) => {
    const lines = headers.filter((line) => line !== '');
    const end = body === '' ? '\r\n' : body;
    const text = [`${method} ${target} HTTP/${version}`, ...lines, end].join('\r\n');
    const sent = headers[3];
    return {
      requestId: new RegExp(`^x-request-id: ${SENT_ID}$`, 'i').test(sent) ? SENT_ID : undefined,
      write: (keys) => text.replace(/\$(\w+)/g, (_, role: KeyRole) => keys[role]),
      toString: () => JSON.stringify(text),
    };
  });
