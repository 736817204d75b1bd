import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * The official schemas and examples of version 0.2 of the Reconciliation Service API, which are not part of this repository: the folder has
 * `0.2` with `schemas` and `examples`. Set RECONCILIATION_SPECS to it.
 */
const FOLDER =
  process.env.RECONCILIATION_SPECS ?? fileURLToPath(new URL('../../../shared/match/reconciliation', import.meta.url));
const hasSpecs = existsSync(join(FOLDER, '0.2', 'schemas'));
export const withoutSpecs = hasSpecs
  ? false
  : 'the official schemas are not here: set RECONCILIATION_SPECS to a folder that has them';

let compiled: Ajv | undefined;

function findValidator(message: string): ValidateFunction | undefined {
  compiled ??= compileAll();
  return compiled.getSchema(`${message}.json`);
}

/** Schemas refer to each other by file name, and to that of OpenAPI by its address. */
function compileAll(): Ajv {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const folder = join(FOLDER, '0.2', 'schemas');
  for (const file of globSync('*.json', { cwd: folder })) {
    const { $schema: _, $id: __, ...schema } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    ajv.addSchema(schema, file === 'openapi.json' ? 'http://swagger.io/v2/schema.json' : file);
  }
  return ajv;
}

export interface Example {
  /** The kind of message, which is also the name of its schema. */
  readonly message: string;
  readonly isValid: boolean;
  readonly file: string;
  readonly text: string;
}

export function listExamples(): Example[] {
  const folder = join(FOLDER, '0.2');
  return globSync('examples/*/{valid,invalid}/*.json', { cwd: folder }).map((file) => {
    const [, message = '', label] = file.split('/');
    return { message, isValid: label === 'valid', file, text: readFileSync(join(folder, file), 'utf8') };
  });
}

/** Undefined if the kind of message has no schema of its own. */
export function isValidMessage(message: string, content: unknown): boolean | undefined {
  return findValidator(message)?.(content) as boolean | undefined;
}

const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/\/suggest\/entity/, 'suggest-entities-response'],
  [/\/suggest\/property/, 'suggest-properties-response'],
  [/\/suggest\/type/, 'suggest-types-response'],
  [/\/propose/, 'data-extension-property-proposal'],
];

/** Checks a reply of ours against the official schema, if it is here. */
export function checkMessage(path: string, content: object): void {
  if (!hasSpecs) return;
  const message = MESSAGES.find(([pattern]) => pattern.test(path))?.[1] ?? nameByContent(content);
  const validate = findValidator(message) ?? assert.fail(`there is no schema ${message}`);
  assert.ok(validate(content), `${path} is no valid ${message}: ${JSON.stringify(validate.errors)}`);
}

function nameByContent(content: object): string {
  if ('versions' in content) return 'manifest';
  return 'meta' in content ? 'data-extension-response' : 'reconciliation-result-batch';
}
