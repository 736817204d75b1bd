import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

/**
 * The official schemas and examples of the Reconciliation Service API, which are not part of this repository: the folder has `0.2` and
 * `1.0-draft`, each with `schemas` and `examples`. Set RECONCILIATION_SPECS to it.
 */
const FOLDER =
  process.env.RECONCILIATION_SPECS ?? fileURLToPath(new URL('../../../shared/match/reconciliation', import.meta.url));
const hasSpecs = existsSync(join(FOLDER, '0.2', 'schemas'));
export const withoutSpecs = hasSpecs
  ? false
  : 'the official schemas are not here: set RECONCILIATION_SPECS to a folder that has them';

export const VERSIONS = ['0.2', '1.0-draft'] as const;
export type Version = (typeof VERSIONS)[number];

const compiled = new Map<Version, Ajv>();

function findValidator(version: Version, message: string): ValidateFunction | undefined {
  const ajv = compiled.get(version) ?? compileAll(version);
  compiled.set(version, ajv);
  return ajv.getSchema(`${message}.json`);
}

/** Schemas refer to each other by file name, and to that of OpenAPI by its address. */
function compileAll(version: Version): Ajv {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  const folder = join(FOLDER, version, 'schemas');
  for (const file of globSync('*.json', { cwd: folder })) {
    const { $schema: _, $id: __, ...schema } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    ajv.addSchema(schema, file === 'openapi.json' ? 'http://swagger.io/v2/schema.json' : file);
  }
  return ajv;
}

export interface Example {
  readonly version: Version;
  /** The kind of message, which is also the name of its schema. */
  readonly message: string;
  readonly isValid: boolean;
  readonly file: string;
  readonly text: string;
}

export function listExamples(): Example[] {
  return VERSIONS.flatMap((version) =>
    globSync('examples/*/{valid,invalid}/*.json', { cwd: join(FOLDER, version) }).map((file) => {
      const [, message = '', label] = file.split('/');
      const text = readFileSync(join(FOLDER, version, file), 'utf8');
      return { version, message, isValid: label === 'valid', file: `${version}/${file}`, text };
    }),
  );
}

/** Undefined if the kind of message has no schema of its own. */
export function isValidMessage(version: Version, message: string, content: unknown): boolean | undefined {
  return findValidator(version, message)?.(content) as boolean | undefined;
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
  const version = path.includes('/1.0') ? '1.0-draft' : '0.2';
  const message = MESSAGES.find(([pattern]) => pattern.test(path))?.[1] ?? nameByContent(content);
  const validate = findValidator(version, message) ?? assert.fail(`${version} has no schema ${message}`);
  assert.ok(validate(content), `${path} is no valid ${message}: ${JSON.stringify(validate.errors)}`);
}

function nameByContent(content: object): string {
  if ('versions' in content) return 'manifest';
  return 'meta' in content ? 'data-extension-response' : 'reconciliation-result-batch';
}
