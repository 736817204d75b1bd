// Finds changes in the current API contract that would break a client of the released one. This file compares paths, operations,
// statuses and credentials; contract-schemas.ts compares the data.

import {
  type Carrier,
  type Content,
  METHODS,
  type OpenApi,
  type Operation,
  type PathItem,
  type Response,
  resolve,
} from './contract-document.ts';
import {
  type Comparison,
  compareErrorCodes,
  compareMembers,
  compareSchemas,
  type Members,
} from './contract-schemas.ts';

export type { OpenApi } from './contract-document.ts';

type Method = (typeof METHODS)[number];
type Documents = Omit<Comparison, 'settled'>;

function fresh(documents: Documents): Comparison {
  return { ...documents, settled: new Set() };
}

/** Each change as `operation location: what changed`, in the order of the released document. */
export function findBreakingChanges(released: OpenApi, current: OpenApi): string[] {
  const request = { released, current, direction: 'request' } as const;
  const response = { released, current, direction: 'response' } as const;
  return Object.entries(released.paths ?? {}).flatMap(([path, before]) => {
    const after = current.paths?.[path];
    if (after === undefined) return [`${path}: path was removed`];
    return METHODS.flatMap((method) => {
      const [was, is] = [before[method], after[method]];
      const operation = `${method.toUpperCase()} ${path}`;
      if (was === undefined) return [];
      if (is === undefined) return [`${operation}: operation was removed`];
      const changes = [
        ...place('request', compareSecurity(was, is, request)),
        ...place('request', compareParameters(before, after, method, request)),
        ...compareBodies(was, is, request),
        ...compareResponses(was, is, response),
      ];
      return changes.map((change) => `${operation} ${change}`);
    });
  });
}

/** Credentials that were accepted must still be accepted. */
function compareSecurity(before: Operation, after: Operation, { released, current }: Documents): string[] {
  const accepted = listCredentials(after, current);
  return listCredentials(before, released)
    .filter((held) => !accepted.some((needed) => needed.every((credential) => held.includes(credential))))
    .map((held) =>
      held.length === 0 ? 'credentials are now required' : `${held.join(' with ')} is no longer accepted`,
    );
}

/** The accepted combinations of credentials. A scheme is the same only if it is also sent in the same way. */
function listCredentials(operation: Operation, document: OpenApi): string[][] {
  const alternatives = operation.security ?? document.security ?? [];
  if (alternatives.length === 0) return [[]];
  return alternatives.map((schemes) =>
    Object.entries(schemes).flatMap(([name, scopes]) => {
      const definition = document.components?.securitySchemes?.[name];
      const scheme = definition && resolve(document, definition);
      const sentAs = [scheme?.type, scheme?.scheme, scheme?.in, scheme?.name].filter((part) => part !== undefined);
      return [`${name} (${sentAs.join(' ')})`, ...scopes.map((scope) => `${name} scope ${scope}`)];
    }),
  );
}

function compareParameters(before: PathItem, after: PathItem, method: Method, comparison: Documents): string[] {
  const listParameters = (item: PathItem, document: OpenApi): Members => {
    // Parameters of the operation come last, because they override those of the path.
    const parameters = [...(item.parameters ?? []), ...(item[method]?.parameters ?? [])];
    return listCarriers(
      parameters.map((parameter) => resolve(document, parameter)).map((carrier) => [nameParameter(carrier), carrier]),
    );
  };
  const { released, current } = comparison;
  return compareMembers(listParameters(before, released), listParameters(after, current), '', fresh(comparison));
}

function compareBodies(before: Operation, after: Operation, comparison: Documents): string[] {
  const released = before.requestBody && resolve(comparison.released, before.requestBody);
  const current = after.requestBody && resolve(comparison.current, after.requestBody);
  if (released !== undefined && current === undefined) return place('request', ['body was removed']);
  const isNowRequired = current?.required === true && released?.required !== true;
  return [
    ...place('request', isNowRequired ? ['body is now required'] : []),
    ...compareContents(released?.content, current?.content, 'request', comparison),
  ];
}

function compareResponses(before: Operation, after: Operation, comparison: Documents): string[] {
  return Object.entries(before.responses ?? {}).flatMap(([status, response]) => {
    const successor = after.responses?.[status];
    if (successor === undefined) return place(status, ['status was removed']);
    const released = resolve(comparison.released, response);
    const current = resolve(comparison.current, successor);
    return [
      ...place(status, compareHeaders(released, current, comparison)),
      ...place(status, compareErrorCodes(released['x-error-codes'], current['x-error-codes'])),
      ...compareContents(released.content, current.content, status, comparison),
    ];
  });
}

function compareHeaders(before: Response, after: Response, comparison: Documents): string[] {
  const listHeaders = ({ headers = {} }: Response, document: OpenApi): Members =>
    listCarriers(
      Object.entries(headers).map(([name, header]) => [`header ${name.toLowerCase()}`, resolve(document, header)]),
    );
  const { released, current } = comparison;
  return compareMembers(listHeaders(before, released), listHeaders(after, current), '', fresh(comparison));
}

function compareContents(before: Content = {}, after: Content = {}, where: string, comparison: Documents): string[] {
  return Object.entries(before).flatMap(([mediaType, { schema = true }]) => {
    const successor = after[mediaType];
    if (successor === undefined) return place(where, [`media type ${mediaType} was removed`]);
    // Nearly every body is JSON, so only other media types are mentioned.
    const inside = mediaType === 'application/json' ? where : `${where} ${mediaType}`;
    return place(inside, compareSchemas(schema, successor.schema ?? true, 'body', fresh(comparison)));
  });
}

function listCarriers(carriers: readonly (readonly [name: string, carrier: Carrier])[]): Members {
  const schemas = carriers.map(([name, { schema, content = {} }]) => {
    const [media] = Object.values(content);
    return [name, schema ?? media?.schema ?? true] as const;
  });
  const required = carriers.filter(([, carrier]) => carrier.required === true).map(([name]) => name);
  return { schemas: new Map(schemas), required };
}

/** The case of header names is ignored in requests and responses. */
function nameParameter(parameter: { readonly in: string; readonly name: string }): string {
  const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name;
  return `${parameter.in} parameter ${name}`;
}

function place(where: string, changes: readonly string[]): string[] {
  return changes.map((change) => `${where}: ${change}`);
}
