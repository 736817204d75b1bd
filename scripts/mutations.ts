/** Finds the places of a source file where a small change (a mutation) should make a test fail, and draws some of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { lineAt } from './source-scan.ts';

export interface Mutation {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly was: string;
  readonly now: string;
  readonly kind: Kind;
}

/** How many of 100 are of each kind. Constants are most of the places, but not most of the mistakes that people make. */
const WEIGHTS = { comparison: 20, logic: 15, condition: 20, statement: 25, constant: 15, result: 5 } as const;
type Kind = keyof typeof WEIGHTS;

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
};

/** A statement outside of functions with more constants is a table, which tests do not repeat. */
const TABLE_SIZE = 40;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

/** Types, imports and texts of logs are left out. */
function listMutations(file: string, source: string): Mutation[] {
  const found: Mutation[] = [];
  const add = (kind: Kind, { start, end }: Pick<Node, 'start' | 'end'>, ...changes: string[]) => {
    for (const now of changes)
      found.push({ file, line: lineAt(source, start), start, end, was: source.slice(start, end), now, kind });
  };
  const textOf = ({ start, end }: Node) => source.slice(start, end);

  function visitConstant(node: Node): void {
    const { value } = node;
    if (typeof value === 'number') add('constant', node, String(value + 1));
    else if (typeof value === 'boolean') add('constant', node, String(!value));
    else if (typeof value === 'string' && !value.includes(' ')) add('constant', node, JSON.stringify(`${value}x`));
  }

  function visitOwn(node: Node): void {
    const { type, left, right, operator, test, argument } = node;
    if (type === 'BinaryExpression' && isNode(left) && isNode(right)) {
      const kept = [textOf(left), textOf(right)] as const;
      const isText = kept.some((part) => /^['"`]/.test(part));
      for (const other of (!isText || /=/.test(String(operator)) ? OPERATORS[String(operator)] : []) ?? [])
        add('comparison', node, kept.join(` ${other} `));
    } else if (type === 'LogicalExpression' && isNode(left) && isNode(right)) {
      const other = operator === '&&' ? '||' : operator === '||' ? '&&' : undefined;
      add('logic', node, other === undefined ? textOf(left) : `((${textOf(left)}) ${other} (${textOf(right)}))`);
    } else if (type === 'UnaryExpression' && operator === '!' && isNode(argument)) {
      add('logic', node, textOf(argument));
    } else if (type === 'ThrowStatement' || (type === 'ExpressionStatement' && node.directive == null)) {
      add('statement', node, ';');
    } else if (type === 'Literal') {
      visitConstant(node);
    } else if (type === 'ReturnStatement' && isNode(argument)) {
      if (isList(argument)) add('result', argument, '[]');
    }
    if (!isNode(test)) return;
    if (type === 'IfStatement' || type === 'ConditionalExpression') add('condition', test, 'true', 'false');
    else if (type === 'WhileStatement' || type === 'ForStatement') add('condition', test, 'false');
  }

  function visit(node: Node, isKey = false): void {
    if (isLeftOut(node, source)) return;
    if (!isKey) visitOwn(node);
    for (const [key, child] of Object.entries(node)) {
      const isName = key === 'key' && node.computed !== true;
      if (node.type.startsWith('TS') && key !== 'expression') continue;
      if (key === 'typeAnnotation' || key === 'returnType' || key === 'typeArguments') continue;
      for (const each of Array.isArray(child) ? child : [child]) if (isNode(each)) visit(each, isName);
    }
  }

  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  for (const statement of program.body as unknown as Node[]) {
    const before = found.length;
    visit(statement);
    const isFunction = /^(?:export )?(?:async )?(?:function|class)\b/.test(textOf(statement));
    const isTable = !isFunction && found.length - before > TABLE_SIZE && !textOf(statement).includes('=> {');
    if (isTable) found.length = before;
  }
  return found;
}

function isList({ type, elements, callee }: Node): boolean {
  if (type === 'ArrayExpression') return Array.isArray(elements) && elements.length > 0;
  const method = isNode(callee) && isNode(callee.property) ? callee.property.name : undefined;
  return type === 'CallExpression' && /^(?:map|filter|flatMap|toSorted|slice)$/.test(String(method));
}

function isLeftOut({ type, start, end, source: path }: Node, source: string): boolean {
  if (type === 'ImportDeclaration' || type === 'ExportAllDeclaration' || path != null) return true;
  if (/^TS(?:Interface|TypeAlias|Declare)/.test(type)) return true;
  return type === 'CallExpression' && /^(?:\w+\.)*(?:log|logger|console)\??\.\w+\(/.test(source.slice(start, end));
}

/** At most one per line, the same for the same seed and the same sources. */
export function drawMutations(root: string, files: readonly string[], seed: number, count: number): Mutation[] {
  const all = files.flatMap((file) => listMutations(file, readFileSync(join(root, file), 'utf8')));
  const byKind = Object.groupBy(all, ({ kind }) => kind);
  const random = startRandom(seed);
  const drawn = new Map<string, Mutation>();
  while (drawn.size < Math.min(count, all.length)) {
    const kind = drawKind(random() * 100);
    const places = byKind[kind] ?? [];
    const one = places[Math.floor(random() * places.length)];
    if (one === undefined) continue;
    const place = `${one.file}:${one.line}`;
    if (!drawn.has(place)) drawn.set(place, one);
  }
  return [...drawn.values()];
}

function drawKind(at: number): Kind {
  let sum = 0;
  for (const [kind, weight] of Object.entries(WEIGHTS)) {
    sum += weight;
    if (at < sum) return kind as Kind;
  }
  return 'statement';
}

/** Mulberry32. */
function startRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The source with the mutation, even if lines above it have changed since it was drawn. */
export function applyMutation(source: string, mutation: Mutation): string {
  const { start, end } = findPlace(source, mutation);
  return source.slice(0, start) + mutation.now + source.slice(end);
}

/** The source in which each of these expressions and statements runs `code` first. */
export function recordAt(source: string, places: readonly { mutation: Mutation; code: string }[]): string {
  const insertions = places.flatMap(({ mutation, code }) => {
    const { start, end } = findPlace(source, mutation);
    const [open, close] = mutation.kind === 'statement' ? [`{ ${code}; `, ' }'] : [`(${code}, `, ')'];
    const length = end - start;
    // Of places that start together the longest is outside, and of places that end together the shortest is inside.
    return [
      { at: start, order: 1e9 - length, text: open },
      { at: end, order: length - 1e9, text: close },
    ];
  });
  let from = 0;
  let recorded = '';
  for (const { at, text } of insertions.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    recorded += source.slice(from, at) + text;
    from = at;
  }
  return recorded + source.slice(from);
}

function findPlace(source: string, { file, start, end, was }: Mutation): Pick<Mutation, 'start' | 'end'> {
  if (source.slice(start, end) === was) return { start, end };
  const places = Array.from(source.matchAll(new RegExp(RegExp.escape(was), 'g')), ({ index }) => index);
  const [nearest] = places.toSorted((a, b) => Math.abs(a - start) - Math.abs(b - start));
  if (nearest === undefined) throw new Error(`${file} no longer contains ${was}`);
  return { start: nearest, end: nearest + was.length };
}
