/**
 * Writes the parts of the clients that follow from the contract (`npm run generate:client`): types of replies and parameters, operations, and a
 * class per error code. A test compares them with openapi.json.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Contract } from './client/contract.ts';
import { renderErrors } from './client/errors.ts';
import { renderOperations } from './client/operations.ts';
import { renderPython } from './client/python.ts';
import { listProperties, renderComment, renderInterface, renderType } from './client/schema-types.ts';

const root = new URL('../', import.meta.url);
const MARK = '// Generated from openapi.json by `npm run generate:client`. Do not edit.\n';
const PYTHON = 'clients/python/firmament_client/generated';

/** The path of every generated file and its text as it should be. */
export function renderClient(contract: Contract): ReadonlyMap<string, string> {
  const folder = 'clients/typescript/src/generated';
  const types = Object.entries(contract.components.schemas).map(([name, schema]) => {
    const comment = renderComment([schema.description ?? '']);
    if (schema.type !== 'object') return `${comment}export type ${name} = ${renderType(schema)};\n`;
    if (schema.properties === undefined || schema.additionalProperties === true)
      return `${comment}export interface ${name} ${renderType(schema)}\n`;
    return comment + renderInterface(name, listProperties(schema), contract.components.schemas);
  });
  const operations = renderOperations(contract);
  const used = Object.keys(contract.components.schemas).filter((name) => new RegExp(`\\b${name}\\b`).test(operations));
  const imports = `import type { CallOptions } from '../options.ts';\nimport type { ${used.sort().join(', ')} } from './types.ts';\n`;
  return new Map([
    [`${folder}/types.ts`, `${MARK}\n${types.join('\n')}`],
    [`${folder}/operations.ts`, `${MARK}${imports}\n${operations}`],
    [`${folder}/errors.ts`, `${MARK}${renderErrors(contract)}`],
    ...Array.from(
      renderPython(contract),
      ([name, text]) => [`${PYTHON}/${name}.py`, MARK.replace('//', '#') + text] as const,
    ),
  ]);
}

export function readContract(): Contract {
  return JSON.parse(readFileSync(new URL('openapi.json', root), 'utf8'));
}

if (import.meta.main) {
  for (const [path, text] of renderClient(readContract())) writeFileSync(new URL(path, root), text);
}
