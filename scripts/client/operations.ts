import { type Contract, type FoundOperation, listOperations, type Parameter } from './contract.ts';
import { renderComment, renderInterface, renderType, type Schema } from './schema-types.ts';

const PREFIX = '/api/v1';

/** The methods of the client, their parameters, and the table that they are made from at run time. */
export function renderOperations(contract: Contract): string {
  const operations = listOperations(contract);
  const parameters = operations.map((operation) => renderParameters(operation, contract.components.schemas));
  const methods = operations.map((operation) => renderMethod(operation));
  const rows = operations.map((operation) => `  ${operation.operationId}: '${renderRow(operation)}',\n`);
  return `${parameters.join('')}/** Every operation of the API, under its name in the contract. */
export interface Api {
${methods.join('\n')}}

/**
 * Marks, method and path of every operation. Marks: \`k\` needs an API key, \`s\` a session; \`a\` takes an argument; \`f\` answers with a
 * file; \`b\` takes its body beside its parameters; \`i\` understands \`Idempotency-Key\`.
 */
export const operations = {
${rows.join('')}} as const;
`;
}

export function argumentsOf({ parameters = [] }: FoundOperation): Parameter[] {
  return parameters.filter((parameter) => parameter.in !== 'header');
}

function nameParameters({ operationId }: FoundOperation): string {
  return `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Parameters`;
}

export function bodyOf({ requestBody }: FoundOperation) {
  return requestBody?.content['application/json']?.schema;
}

function renderParameters(operation: FoundOperation, types: Readonly<Record<string, Schema>>): string {
  const given = argumentsOf(operation);
  if (given.length === 0) return '';
  const properties = given.map(({ name, schema, required = false, description }) => {
    return { name, schema, isRequired: required, description };
  });
  const body = bodyOf(operation);
  if (body !== undefined) properties.push({ name: 'body', schema: body, isRequired: true, description: undefined });
  return `${renderInterface(nameParameters(operation), properties, types)}\n`;
}

function renderMethod(operation: FoundOperation): string {
  const { operationId, summary, description = '' } = operation;
  const comment = renderComment([`${summary}.\n`, description], '  ');
  return `${comment}  ${operationId}(${renderArgument(operation)}options?: CallOptions): Promise<${renderReply(operation)}>;\n`;
}

function renderArgument(operation: FoundOperation): string {
  const body = bodyOf(operation);
  const given = argumentsOf(operation);
  if (body !== undefined && given.length === 0) return `body: ${renderType(body)}, `;
  if (given.length === 0) return '';
  return `parameters${given.some(({ required }) => required) ? '' : '?'}: ${nameParameters(operation)}, `;
}

function renderReply(operation: FoundOperation): string {
  if (isFile(operation)) return 'Response';
  const { content } = findSuccess(operation);
  return content === undefined ? 'void' : renderType(content['application/json']?.schema ?? {});
}

export function findSuccess({ operationId, responses }: FoundOperation) {
  const found = Object.entries(responses).find(([status]) => status.startsWith('2'));
  if (found === undefined) throw new Error(`${operationId} declares no success`);
  return found[1];
}

/** Whether JSON is not what the operation usually sends. */
export function isFile(operation: FoundOperation): boolean {
  const [type = 'application/json'] = Object.keys(findSuccess(operation).content ?? {});
  return type !== 'application/json';
}

function renderRow(operation: FoundOperation): string {
  const { method, security, parameters = [] } = operation;
  const accepts = (scheme: string) => security.some((option) => scheme in option);
  const marks = [
    accepts('bearerKey') && 'k',
    accepts('session') && 's',
    renderArgument(operation) !== '' && 'a',
    isFile(operation) && 'f',
    bodyOf(operation) !== undefined && argumentsOf(operation).length > 0 && 'b',
    parameters.some(({ name }) => name === 'Idempotency-Key') && 'i',
  ];
  return `${marks.filter(Boolean).join('')} ${method} ${templateOf(operation)}`;
}

/** The path below the version of the API. A value with slashes is marked as in RFC 6570. */
export function templateOf({ path, parameters = [] }: FoundOperation): string {
  if (!path.startsWith(PREFIX)) throw new Error(`${path} is not under ${PREFIX}`);
  return path
    .slice(PREFIX.length)
    .replace(/\{(\w+)\}/g, (whole, name) =>
      parameters.some((each) => each.name === name && each.description?.includes('slashes')) ? `{+${name}}` : whole,
    );
}
