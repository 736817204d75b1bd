import { operations } from './generated/operations.ts';

export type OperationId = keyof typeof operations;

/** An operation as the table has it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly needsKey: boolean;
  readonly needsSession: boolean;
  readonly takesArgument: boolean;
  readonly isFile: boolean;
  /** Its argument has the parameters, and the body as `body`. */
  readonly hasBodyBeside: boolean;
  readonly isIdempotent: boolean;
}

export function readOperation(id: OperationId): Operation {
  const [marks = '', method = '', path = ''] = operations[id].split(' ');
  const has = (mark: string) => marks.includes(mark);
  return {
    method,
    path: `/api/v1${path}`,
    needsKey: has('k'),
    needsSession: has('s'),
    takesArgument: has('a'),
    isFile: has('f'),
    hasBodyBeside: has('b'),
    isIdempotent: has('i'),
  };
}

export type Parameters = Readonly<Record<string, unknown>>;

/** Fills the path with parameters, and adds the others as a query. */
export function writeUrl(base: URL, template: string, parameters: Parameters): URL {
  const rest = { ...parameters };
  const path = template.replace(/\{(\+?)(\w+)\}/g, (_, plus: string, name: string) => {
    const value = rest[name];
    delete rest[name];
    const segments = plus ? String(value ?? '').split('/') : [String(value ?? '')];
    // A URL parser would resolve these and address something else.
    if (segments.some((segment) => /^(\.|%2e){0,2}$/i.test(segment)))
      throw new TypeError(`"${name}" is not a valid value`);
    return segments.map(encodeURIComponent).join('/');
  });
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/$/, '') + path;
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

/** The address of the service. Credentials in it would appear in error messages of `fetch`. */
export function readBase(url: string | URL): URL {
  const base = new URL(url);
  if (!/^https?:$/.test(base.protocol) || base.username || base.password) {
    throw new TypeError('"url" must be an http or https address without user name and password');
  }
  base.search = base.hash = '';
  return base;
}

/** Checks what `fetch` would reject with a message that contains the credential. */
export function readCredential(name: string, value: string | undefined): string | undefined {
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`"${name}" must have only visible ASCII characters, and at least one`);
}
