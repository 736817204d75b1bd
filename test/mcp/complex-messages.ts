const CLIENT = '{"name":"test","version":"1"}';

/** Messages of at most 64 KiB that would take long to read: very deep, or with very many values. */
export const complexMessages: Readonly<Record<string, string>> = {
  'deep capabilities': initialize(`{"experimental":{"x":${nest(10_000)}}}`),
  'deep lists as capabilities': initialize(`{"experimental":{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`),
  'capabilities with 5,000 members': initialize(`{"experimental":{"x":${members(5_000)}}}`),
  'deep capabilities in the envelope': envelope(`{"experimental":{"x":${nest(10_000)}}}`),
  'capabilities with 5,000 members in the envelope': envelope(`{"experimental":{"x":${members(5_000)}}}`),
  '6,000 unknown arguments': callSearch(members(6_000)),
  'a deep argument': callSearch(`{"q":${nest(10_000)}}`),
  'a list of 30,000 values as argument': callSearch(`{"q":[${'1,'.repeat(29_999)}1]}`),
  'a deep message that never ends': '{"a":'.repeat(12_000),
  'a batch of 10,000 messages': `[${'{},'.repeat(9_999)}{}]`,
};

/** As large as messages may be, so that it can be compared with what is rejected. */
export const allowedMessages: Readonly<Record<string, string>> = {
  '240 unknown arguments': callSearch(members(240)),
  '12 levels of capabilities': initialize(`{"experimental":{"x":${nest(12)}}}`),
  'a long text': callSearch(`{"q":"${'[{,'.repeat(20_000)}"}`),
};

function nest(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
}

function members(count: number): string {
  return `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`;
}

function initialize(capabilities: string): string {
  return write('initialize', `"protocolVersion":"2025-11-25","clientInfo":${CLIENT},"capabilities":${capabilities}`);
}

function envelope(capabilities: string): string {
  const name = 'io.modelcontextprotocol';
  const meta = `"${name}/protocolVersion":"2026-07-28","${name}/clientInfo":${CLIENT},"${name}/clientCapabilities":${capabilities}`;
  return write('tools/list', `"_meta":{${meta}}`);
}

function callSearch(given: string): string {
  return write('tools/call', `"name":"search_companies","arguments":${given}`);
}

function write(method: string, params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{${params}}}`;
}
