import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Contract } from '../../src/api/contract.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a parsed reply, checked against the contract before it is used
  readonly body: any;
}

interface ResponseObject {
  readonly headers?: Record<string, { $ref: string }>;
  readonly content?: Record<string, { schema: object }>;
  readonly 'x-error-codes'?: readonly string[];
}

/**
 * Compares a reply with the contract: path, method and status are declared; every declared header is present and has
 * the declared type; the body is valid and has no undeclared field; the error code is one that the operation lists.
 */
export function createContractCheck(contract: Contract): ContractCheck {
  const text = JSON.stringify(contract);
  const check = checks.get(text) ?? compileContractCheck(contract);
  checks.set(text, check);
  return check;
}

export type ContractCheck = (method: string, path: string, reply: Reply) => void;

/** Compiling takes 30 ms and more, and a test file starts many services with the same contract. */
const checks = new Map<string, ContractCheck>();

function compileContractCheck(contract: Contract): ContractCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
  formats.default(ajv);
  ajv.addSchema(closed({ $id: 'contract', components: contract.components }) as object);
  const compiled = new Map<string, ValidateFunction>();

  function validate(schema: object, value: unknown, where: string): void {
    const local = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"contract#/components/');
    const check = compiled.get(local) ?? ajv.compile(JSON.parse(local));
    compiled.set(local, check);
    assert.ok(
      check(value),
      `${where} does not match the contract: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value)}`,
    );
  }

  return (method, path, reply) => {
    const where = `${method} ${path} → ${reply.status}`;
    const operation = findOperation(contract, method, path);
    const expected: ResponseObject | undefined = operation?.responses[reply.status];
    if (operation === undefined) assert.ok([400, 404, 414, 431].includes(reply.status), `${where}: no such operation`);
    else assert.ok(expected, `${where}: the contract does not declare this status`);

    for (const [name, { $ref }] of Object.entries(expected?.headers ?? { 'X-Request-ID': requestIdReference })) {
      const { schema, required } = resolve(contract, $ref) as { schema: { type: string }; required: boolean };
      const text = reply.headers.get(name);
      if (text === null && !required) continue;
      assert.notEqual(text, null, `${where}: the header ${name} is missing`);
      validate(schema, schema.type === 'integer' ? Number(text) : text, `${where}: header ${name}`);
    }
    const undeclared = Object.keys(Object(contract.components).headers).filter((name) => /^X-(Rate|Month)/.test(name));
    for (const name of undeclared.filter((each) => expected?.headers?.[each] === undefined)) {
      assert.equal(reply.headers.get(name), null, `${where}: the contract does not declare ${name}`);
    }
    const bodiless = expected !== undefined && expected.content === undefined;
    if (method === 'HEAD' || bodiless) return assert.equal(reply.text, '', `${where}: there is a body`);
    const [type = ''] = reply.headers.get('content-type')?.split(';') ?? [];
    if (type !== 'application/json') return assert.ok(expected?.content?.[type], `${where}: a body of type ${type}`);
    const schema = expected?.content?.['application/json']?.schema ?? { $ref: '#/components/schemas/ErrorResponse' };
    validate(schema, reply.body, `${where}: body`);
    if (reply.body.error === undefined) return;
    const { code, requestId, docs } = reply.body.error;
    assert.equal(requestId, reply.headers.get('x-request-id'), `${where}: requestId differs from X-Request-ID`);
    assert.ok(docs.endsWith(`/docs/errors/${code}`), `${where}: docs is ${docs}`);
    const codes = expected?.['x-error-codes'] ?? ['not_found', 'invalid_request', 'uri_too_long'];
    assert.ok(codes.includes(code), `${where}: code ${code} is not among ${codes}`);
  };
}

const requestIdReference = { $ref: '#/components/headers/X-Request-ID' };

/** A method that the path does not support gets the responses that every operation of the path declares, such as 405. */
export function findOperation(contract: Contract, method: string, path: string): Operation | undefined {
  const matches = Object.entries(contract.paths).filter(([template]) =>
    new RegExp(`^${template.replace('{path}', '.*').replace(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
  );
  const operations = Object.assign({}, ...matches.map(([, item]) => item)) as Record<string, Operation>;
  const name = method.toLowerCase();
  const own = operations[name] ?? (name === 'head' ? operations.get : undefined);
  return own ?? Object.values(operations)[0];
}

interface Operation {
  readonly security: readonly object[];
  readonly responses: Record<number, ResponseObject>;
}

function resolve(contract: Contract, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, key) => Reflect.get(Object(value), key), contract);
}

/** The same schema without additional properties. Clients must accept new fields; these tests must notice them. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}
