/**
 * HTTP/2 requests that a proxy must not translate into HTTP/1.1 as they are, written frame by frame: Node's client refuses to
 * send them. Header fields are literals without compression (RFC 7541, 6.2.2).
 */
type Field = readonly [name: string, value: string];

const FRAME = { data: 0, headers: 1, settings: 4 } as const;
const END_STREAM = 0x1;
const END_HEADERS = 0x4;
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

function renderFrame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function renderText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  // A length of 127 or more continues in groups of seven bits.
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest = bytes.length - 127;
  const length = rest < 128 ? [127, rest] : [127, (rest % 128) + 128, Math.floor(rest / 128)];
  return Buffer.concat([Buffer.from(length), bytes]);
}

function renderRequest(fields: readonly Field[], body: string | undefined): Buffer {
  const block = Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0]), renderText(name), renderText(value)]),
  );
  const flags = END_HEADERS | (body === undefined ? END_STREAM : 0);
  const frames = [
    PREFACE,
    renderFrame(FRAME.settings, 0, 0, Buffer.alloc(0)),
    renderFrame(FRAME.headers, flags, 1, block),
  ];
  if (body !== undefined) frames.push(renderFrame(FRAME.data, END_STREAM, 1, Buffer.from(body, 'latin1')));
  return Buffer.concat(frames);
}

/** Attempts by title. Each is given the hidden request. */
export function renderAttempts(authority: string): Readonly<Record<string, (hidden: string) => Buffer>> {
  const start = (method: string, path = '/api/v1/plans'): Field[] => [
    [':method', method],
    [':scheme', 'https'],
    [':authority', authority],
    [':path', path],
  ];
  const post = (...fields: readonly Field[]) => [...start('POST'), ...fields];
  return {
    'HTTP/2, nothing hidden': (hidden) => {
      const [, path = '', id = ''] = /^GET (\S+) .*X-Request-ID: (\S+)/s.exec(hidden) ?? [];
      return renderRequest([...start('GET', path), ['x-request-id', id]], undefined);
    },
    'HTTP/2 with a length of zero': (hidden) => renderRequest(post(['content-length', '0']), hidden),
    'HTTP/2 with a length that is too small': (hidden) =>
      renderRequest(post(['content-length', '5']), `12345${hidden}`),
    'HTTP/2 with two lengths': (hidden) =>
      renderRequest(post(['content-length', '0'], ['content-length', String(hidden.length)]), hidden),
    'HTTP/2 with a transfer encoding': (hidden) =>
      renderRequest(post(['transfer-encoding', 'chunked']), `0\r\n\r\n${hidden}`),
    'HTTP/2 with a line break in a value': (hidden) =>
      renderRequest(post(['x-a', 'b\r\ntransfer-encoding: chunked']), `0\r\n\r\n${hidden}`),
    'HTTP/2 with a request in a value': (hidden) =>
      renderRequest([...start('GET'), ['x-a', `b\r\n\r\n${hidden}`]], undefined),
    'HTTP/2 with a line break in a name': (hidden) =>
      renderRequest(post(['x-a: b\r\ntransfer-encoding', 'chunked']), `0\r\n\r\n${hidden}`),
    'HTTP/2 with a request in the path': (hidden) =>
      renderRequest(start('GET', `/api/v1/plans HTTP/1.1\r\nHost: ${authority}\r\n\r\n${hidden}`), undefined),
    'HTTP/2 with a request in the method': (hidden) =>
      renderRequest(start(`GET /api/v1/plans HTTP/1.1\r\nHost: ${authority}\r\n\r\n${hidden}POST`), undefined),
    'HTTP/2 with a second host': (hidden) => renderRequest(post(['host', 'other.example']), hidden),
    'HTTP/2 with a connection header': (hidden) =>
      renderRequest(post(['connection', 'content-length'], ['content-length', String(hidden.length)]), hidden),
  };
}
