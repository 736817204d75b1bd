/** A JSON-RPC message. Its parts are not validated: the service does that. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [name: string]: unknown;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the assistant waits for a reply. Notifications have no id, and replies no method. */
export function isRequest({ id, result, error }: Message): boolean {
  return id !== undefined && result === undefined && error === undefined;
}

export function hasValidId({ id }: Message): boolean {
  return typeof id === 'string' || typeof id === 'number';
}

/** The revision that a reply to `initialize` has chosen. */
export function readVersion({ result }: Message): string | undefined {
  return isObject(result) ? asHeader(result.protocolVersion) : undefined;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';

/** Which parameter the header Mcp-Name repeats. */
const NAMES: ReadonlyMap<unknown, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/**
 * Headers that repeat parts of the message. Since 2026-07-28 each request names its revision and the headers repeat it; before, the
 * revision was negotiated once, by `initialize`.
 */
export function describeMessage({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const given = isObject(params) ? params : {};
  const version = isObject(given._meta) ? asHeader(given._meta[VERSION_KEY]) : undefined;
  if (version === undefined) {
    return negotiated === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': negotiated };
  }
  const source = NAMES.get(method);
  const name = source === undefined ? undefined : given[source];
  const sentMethod = asHeader(method);
  return {
    'mcp-protocol-version': version,
    ...(sentMethod !== undefined && { 'mcp-method': sentMethod }),
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  };
}

/** Without the header the service says what is wrong with the message. */
function asHeader(value: unknown): string | undefined {
  return typeof value === 'string' && /^[!-~]+$/.test(value) ? value : undefined;
}

/** As the protocol encodes texts that a header cannot have. */
function encodeHeader(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
