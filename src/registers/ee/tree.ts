/** Reading nested JSON whose parts may be missing. */
import type { Json } from '../contract.ts';

export type Tree = { readonly [key: string]: Json };

/** '' when there is none. */
export function textOf(tree: Tree, key: string): string {
  const value = tree[key];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function treeOf(tree: Tree, key: string): Tree {
  const value = tree[key];
  return isTree(value) ? value : {};
}

export function treesOf(tree: Tree, key: string): readonly Tree[] {
  const value = tree[key];
  return Array.isArray(value) ? value.filter(isTree) : [];
}

function isTree(value: Json | undefined): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
