import { PROXY_HOST } from './proxy.ts';

/**
 * Requests about whose end a proxy and a server may disagree. Each hides a second request, which one of them may read as
 * part of the first and the other as a request of its own.
 */
const START = `POST /api/v1/plans HTTP/1.1\r\nHost: ${PROXY_HOST}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const length = (hidden: string) => `Content-Length: ${hidden.length + 5}\r\n`;
/** The end of a chunked body, then the hidden request. */
const CL_TE = (header: string) => (hidden: string) => `${START}${length(hidden)}${header}\r\n0\r\n\r\n${hidden}`;
/** A chunk that contains the hidden request, with a length that ends before it. */
const TE_CL = (header: string) => (hidden: string) => {
  const size = hidden.length.toString(16);
  return `${START}Content-Length: ${size.length + 2}\r\n${header}\r\n${size}\r\n${hidden}\r\n0\r\n\r\n`;
};
const CHUNKS = (chunks: string) => (hidden: string) => `${START}${CHUNKED}\r\n${chunks}${hidden}`;

export const pairs: Readonly<Record<string, (hidden: string) => string>> = {
  'two requests, nothing hidden': (hidden) => `${START.replace('POST', 'GET')}\r\n${hidden}`,
  'CL.TE': CL_TE(CHUNKED),
  'TE.CL': TE_CL(CHUNKED),
  'TE.TE, twice': CL_TE(`${CHUNKED}Transfer-Encoding: identity\r\n`),
  'TE.TE, list': CL_TE('Transfer-Encoding: chunked, identity\r\n'),
  'TE.TE, x': CL_TE('Transfer-Encoding: xchunked\r\n'),
  'TE.TE, quoted': CL_TE('Transfer-Encoding: "chunked"\r\n'),
  'TE.TE, capitals': CL_TE('TRANSFER-ENCODING: CHUNKED\r\n'),
  'TE.TE, tab': TE_CL('Transfer-Encoding:\tchunked\r\n'),
  'TE.TE, vertical tab': TE_CL('Transfer-Encoding: \x0bchunked\r\n'),
  'TE.TE, space before the colon': TE_CL('Transfer-Encoding : chunked\r\n'),
  'TE.TE, space before the name': TE_CL(' Transfer-Encoding: chunked\r\n'),
  'TE.TE, folded': TE_CL('Transfer-Encoding:\r\n chunked\r\n'),
  'TE.TE, folded name': TE_CL('X-A: b\r\n Transfer-Encoding: chunked\r\n'),
  'TE.TE, null': TE_CL('Transfer-Encoding: chunked\0\r\n'),
  'TE.TE, bare line feed': TE_CL('X-A: b\nTransfer-Encoding: chunked\r\n'),
  'TE.TE, bare carriage return': TE_CL('X-A: b\rTransfer-Encoding: chunked\r\n'),
  'TE.TE, underscore': CL_TE('Transfer_Encoding: chunked\r\n'),
  'TE in HTTP/1.0': (hidden) => `POST /api/v1/plans HTTP/1.0\r\n${CHUNKED}${length(hidden)}\r\n0\r\n\r\n${hidden}`,
  'CL with a plus': (hidden) => `${START}Content-Length: +0\r\n\r\n${hidden}`,
  'CL with spaces': (hidden) => `${START}Content-Length: 0 ${hidden.length}\r\n\r\n${hidden}`,
  'CL negative': (hidden) => `${START}Content-Length: -1\r\n\r\n${hidden}`,
  'CL hexadecimal': (hidden) => `${START}Content-Length: 0x0\r\n\r\n${hidden}`,
  'CL with a space before the colon': (hidden) => `${START}Content-Length : ${hidden.length}\r\n\r\n${hidden}`,
  'CL twice, different': (hidden) => `${START}Content-Length: 0\r\n${length(hidden)}\r\n${hidden}12345`,
  'CL twice, equal': (hidden) => `${START}Content-Length: 0\r\nContent-Length: 0\r\n\r\n${hidden}`,
  'CL list': (hidden) => `${START}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
  'CL with an underscore': (hidden) => `${START}Content_Length: ${hidden.length}\r\n\r\n${hidden}`,
  'CL beyond 64 bits': (hidden) => `${START}Content-Length: 18446744073709551616\r\n\r\n${hidden}`,
  'GET with a body': (hidden) => `${START.replace('POST', 'GET')}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'HEAD with a body': (hidden) => `${START.replace('POST', 'HEAD')}Content-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'chunk extension': CHUNKS('2;a="b"\r\nxx\r\n0\r\n\r\n'),
  'chunk extension with a line feed': CHUNKS('2;\nxx\r\n0\r\n\r\n'),
  'chunk longer than it says': CHUNKS('2\r\nxxx0\r\n\r\n'),
  'chunk with bare line feeds': CHUNKS('2\nxx\n0\n\n'),
  'chunk size with 0x': CHUNKS('0x2\r\nxx\r\n0\r\n\r\n'),
  'chunk size negative': CHUNKS('-1\r\nxx\r\n0\r\n\r\n'),
  'chunk size beyond 64 bits': CHUNKS('10000000000000000\r\nxx\r\n0\r\n\r\n'),
  'chunk size with a space': CHUNKS('2 \r\nxx\r\n0 \r\n\r\n'),
  'length among the trailers': CHUNKS('0\r\nContent-Length: 5\r\n\r\n'),
  'bare line feeds': (hidden) => `${START}Content-Length: 0\n\n${hidden}`.replaceAll('\r\n', '\n'),
  'bare line feed at the end': (hidden) => `${START}Content-Length: 0\r\n\n${hidden}`,
  'header without a name': (hidden) => `${START}: x\r\nContent-Length: 0\r\n\r\n${hidden}`,
  'header with a null in its name': (hidden) => `${START}X\0A: b\r\nContent-Length: 0\r\n\r\n${hidden}`,
  'absolute form': (hidden) => `GET http://${PROXY_HOST}/api/v1/plans HTTP/1.1\r\nHost: other.example\r\n\r\n${hidden}`,
  'two hosts': (hidden) => `GET /api/v1/plans HTTP/1.1\r\nHost: ${PROXY_HOST}\r\nHost: other.example\r\n\r\n${hidden}`,
  'space in the path': (hidden) => `GET /api/v1/plans HTTP/1.1 x HTTP/1.1\r\nHost: ${PROXY_HOST}\r\n\r\n${hidden}`,
  'line feed in the path': (hidden) => `GET /api/v1/plans\nX: HTTP/1.1\r\nHost: ${PROXY_HOST}\r\n\r\n${hidden}`,
  'expectation with a body': (hidden) =>
    `${START}Expect: 100-continue\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'unknown expectation': (hidden) => `${START}Expect: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  upgrade: (hidden) =>
    `${START}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
  'upgrade to h2c': (hidden) =>
    `${START}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n${hidden}`,
  'connection header that names the length': (hidden) =>
    `${START}Connection: Content-Length\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
};
