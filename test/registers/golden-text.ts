/** How golden records are written and compared: JSON that a person can read, and differences with their paths. */
import { isDeepStrictEqual } from 'node:util';

export type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

const LINE = 110;

/** JSON in which what fits into a line is on one line. */
export function formatTree(tree: Tree, indent = ''): string {
  const line = JSON.stringify(tree);
  if (tree === null || typeof tree !== 'object' || line.length + indent.length <= LINE) return line;
  const inner = `${indent} `;
  const [start, end] = Array.isArray(tree) ? '[]' : '{}';
  const items = Array.isArray(tree)
    ? tree.map((item) => inner + formatTree(item, inner))
    : Object.entries(tree).map(([key, value]) => `${inner}${JSON.stringify(key)}: ${formatTree(value, inner)}`);
  return `${start}\n${items.join(',\n')}\n${indent}${end}`;
}

const MISSING = '(missing)';

/** What differs, by path: how it was and how it is. */
export function listDifferences(was: Tree | undefined, is: Tree | undefined, path = ''): [string, Tree, Tree][] {
  if (isDeepStrictEqual(was, is) && JSON.stringify(was) === JSON.stringify(is)) return [];
  if (was === undefined || is === undefined || !isNode(was) || !isNode(is) || Array.isArray(was) !== Array.isArray(is))
    return [[path, was ?? (was === null ? null : MISSING), is ?? (is === null ? null : MISSING)]];
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  const found = [...keys].flatMap((key) => listDifferences(was[key], is[key], path === '' ? key : `${path}.${key}`));
  return found.length > 0 ? found : [[`${path} (order of keys)`, Object.keys(was).join(), Object.keys(is).join()]];
}

function isNode(tree: Tree): tree is { readonly [key: string]: Tree } {
  return tree !== null && typeof tree === 'object';
}

/** Writes each record after the first as what differs from the first: by path, and null with a mark if it has no such field. */
export function writeAlike(records: readonly Tree[]): Tree[] {
  const [first, ...others] = records;
  if (first === undefined) return [];
  const differ = (record: Tree) => Object.fromEntries(listDifferences(first, record).map(([path, , is]) => [path, is]));
  return [first, ...others.map(differ)];
}
