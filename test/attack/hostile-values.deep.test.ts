import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { JSON_BOUNDS } from '../../src/transport/bodies.ts';
import { isDeep, runs } from '../harness/depth.ts';
import type { TestService } from '../harness/service.ts';
import { listReaders } from './watched-readers.ts';

/** The largest body of any route (in the deep run), the largest message of an assistant, and the longest URL. */
const SIZES = { body: runs(512, 2048) * 1024, argument: 64 * 1024, query: 8 * 1024, path: 8 * 1024 } as const;
/** Processor time of one validation. Other processes do not change it much, so that `npm test` checks it too. */
const BOUND_MS = isDeep ? 50 : 250;

interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly minItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

/** A value that the schema accepts, as far as that matters here. */
function exampleOf(schema: Schema): unknown {
  const { examples = [], anyOf, type, properties = {}, required = [], items = {}, minItems = 0 } = schema;
  if (schema.enum !== undefined) return schema.enum[0];
  if (examples[0] !== undefined) return examples[0];
  if (anyOf !== undefined) return exampleOf(anyOf[0] ?? {});
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  if (type === 'array') return Array.from({ length: minItems }, () => exampleOf(items));
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (schema.format === 'uuid') return '8cfb7733-0cb1-511b-8310-bbbf2455fb10';
  return schema.format === 'date' ? '2024-01-31' : 'ab';
}

/** Of each kind of character, of parts that the schema accepts, and with an end that makes a pattern try all ways to match them. */
function hostileTexts(size: number, schema: Schema): string[] {
  const example = String(exampleOf(schema));
  const parts = ['a', ' ', '0', '-', 'e\u0301', '😀', `${example}`, `${example},`].filter((part) => part !== '');
  return parts.flatMap((part) => [repeat(part, size), `${repeat(part, size)}\n!`]);
}

const repeated = new Map<string, string>();

/** A text as a parser returns it: `repeat` would leave the work of joining the parts to the validation. */
function repeat(part: string, size: number): string {
  const text = () => Buffer.from(part.repeat(size / Buffer.byteLength(part))).toString();
  return repeated.getOrInsertComputed(`${size} ${part}`, text);
}

function hostileLists(length: number, items: Schema): unknown[][] {
  const example = exampleOf(items);
  const equal = [example, 0, '', null, [], {}, [[]], { a: 0 }].map((item) => Array.from({ length }, () => item));
  return [...equal, Array.from({ length }, (_, at) => at), Array.from({ length }, (_, at) => `${example}${at}`)];
}

function hostileObjects(length: number, size: number, names: readonly string[]): object[] {
  const withNames = (start: string) => Object.fromEntries(Array.from({ length }, (_, at) => [`${start}${at}`, 0]));
  return [withNames(''), withNames(names[0] ?? 'a'), { [repeat('a', size)]: 0 }, { [repeat('/~', size)]: 0 }];
}

/** Values of this size at every place of a schema. Everything around them is valid. */
function* hostileValues(schema: Schema, size: number, place = ''): Generator<readonly [place: string, value: unknown]> {
  const { anyOf = [], properties = {}, items } = schema;
  const example = exampleOf(schema) as object;
  for (const each of anyOf) yield* hostileValues(each, size, place);
  for (const [name, property] of Object.entries(properties))
    for (const [at, value] of hostileValues(property, size, `${place}.${name}`))
      yield [at, { ...example, [name]: value }];
  if (items !== undefined) for (const [at, value] of hostileValues(items, size, `${place}[]`)) yield [at, [value]];
  if (anyOf.length > 0) return;
  const length = Math.min(JSON_BOUNDS.maxValues, size / 4);
  const objects = hostileObjects(length, size, Object.keys(properties));
  const values = [
    ...hostileTexts(size, schema),
    ...hostileLists(length, items ?? {}),
    ...objects,
    ...objects.map((object) => ({ ...example, ...object })),
  ];
  for (const value of values) yield [place, value];
}

function measureCpu(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

let service: TestService;

before(async () => {
  // Not imported above, because the readers of its modules would not be watched.
  const { startService } = await import('../harness/service.ts');
  service = await startService('sqlite');
});
after(() => service[Symbol.asyncDispose]());

const send = async (path: string, body: string) => {
  const headers = { 'x-api-key': await service.findKey(), 'content-type': 'application/json', accept: ACCEPTED };
  return service.client.request('POST', path, { body, headers });
};
const ACCEPTED = 'application/json, text/event-stream';

test('no value of the largest size keeps the validation of a request busy, at any place of any schema', async () => {
  // The tools are loaded by the first message.
  assert.equal((await send('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status, 200);
  const readers = listReaders();
  const parts = new Set(readers.map(({ part }) => part));
  assert.deepEqual([...parts].sort(), ['argument', 'body', 'path', 'query']);
  for (const { schema, part, read } of readers) {
    const measure = (value: unknown) =>
      measureCpu(() => {
        try {
          read(value);
        } catch (error) {
          assert.ok(error instanceof Error && 'code' in error && error.code === 'invalid_request', `${error}`);
        }
      });
    // Processor time of the process includes its garbage collector, which the work of one validation does not repeat.
    const isQuick = (value: unknown) => [1, 2, 3].some(() => measure(value) <= BOUND_MS);
    const expectQuick = (place: string, value: unknown) => {
      if (!isQuick(value)) assert.fail(`${part} {${Object.keys(schema.properties)}}${place}: ${describe(value)}`);
    };
    for (const [place, value] of hostileValues(schema as Schema, SIZES[part])) expectQuick(place, value);
  }
});

function describe(value: unknown): string {
  return `${JSON.stringify(value).slice(0, 100)}…`;
}
