/**
 * Extracts from a TypeScript file what the layers check needs: its imports, its string literals, and its code with
 * comments and literals blanked out. It knows nothing about layers or rules; those are in layers.ts.
 */
import { type Expression, parseSync, type Statement, Visitor } from 'oxc-parser';

interface Literal {
  readonly line: number;
  /** The text between the quotes. Each expression in a template is replaced by `$`. */
  readonly text: string;
}

interface Import {
  readonly line: number;
  /** Null for an `import(…)` whose path is computed: it cannot be checked. */
  readonly specifier: string | null;
}

export interface SourceScan {
  /** The source with comments and literals replaced by spaces. It has the same length, so offsets still hold. */
  readonly code: string;
  readonly literals: readonly Literal[];
  /** Every form of import, including type-only ones and `import('…')` as a type. */
  readonly imports: readonly Import[];
  /** Whether the file only re-exports what other files declare. */
  readonly isBarrel: boolean;
}

export function scanSource(file: string, source: string): SourceScan {
  const { program, comments, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const literals: Literal[] = [];
  const imports: Import[] = [];
  const blanks: Span[] = [...comments];
  // Import paths stay readable in `code`, because rules match on them (`import { env } from 'node:process'`).
  const paths = new Set<number>();
  const addImport = ({ start }: Span, specifier: string | null) => {
    imports.push({ line: lineAt(source, start), specifier });
    paths.add(start);
  };

  new Visitor({
    ImportDeclaration: ({ source: path }) => addImport(path, path.value),
    ExportAllDeclaration: ({ source: path }) => addImport(path, path.value),
    ExportNamedDeclaration: ({ source: path }) => path && addImport(path, path.value),
    ImportExpression: ({ source: path }) => addImport(path, literalPath(path)),
    TSImportType: ({ source: path }) => addImport(path, path.value),
    Literal({ start, end, value }) {
      if (typeof value !== 'string' && !(value instanceof RegExp)) return;
      if (!paths.has(start)) blanks.push({ start: start + 1, end: end - 1 });
      if (typeof value === 'string')
        literals.push({ line: lineAt(source, start), text: source.slice(start + 1, end - 1) });
    },
    TemplateElement: (node) => void blanks.push(node),
    TemplateLiteral(node) {
      const text = node.quasis.map(({ value }) => value.raw).join('$');
      literals.push({ line: lineAt(source, node.start), text });
    },
  }).visit(program);

  return { code: blankOut(source, blanks), literals, imports, isBarrel: isBarrel(program.body) };
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function literalPath(path: Expression): string | null {
  return path.type === 'Literal' && typeof path.value === 'string' ? path.value : null;
}

function isBarrel(statements: readonly Statement[]): boolean {
  const isImport = ({ type }: Statement) => type === 'ImportDeclaration';
  const isReExport = (statement: Statement) =>
    statement.type === 'ExportAllDeclaration' ||
    (statement.type === 'ExportNamedDeclaration' && statement.declaration === null);
  return statements.some(isReExport) && statements.every((statement) => isImport(statement) || isReExport(statement));
}

function blankOut(source: string, spans: readonly Span[]): string {
  const code = source.split('');
  for (const { start, end } of spans) {
    for (let at = start; at < end; at++) if (code[at] !== '\n') code[at] = ' ';
  }
  return code.join('');
}
