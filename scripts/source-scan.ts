/**
 * Reads TypeScript just far enough to judge its architecture: which modules a file names, what its code says once
 * comments and literals are out of the way, and what its literals say. It knows no layer and no rule (see layers.ts).
 *
 * A scanner rather than a parser: TypeScript 7 ships no JavaScript API and `module.stripTypeScriptTypes` prints a
 * warning on every run. A misread slash can cost at most the rest of its line, because strings and regular
 * expressions end where their line ends.
 */

export interface Literal {
  readonly line: number;
  /** As written between the quotes; an expression in a template is reduced to `$`. */
  readonly text: string;
}

export interface Import {
  readonly line: number;
  /** Null for an `import(…)` whose path is computed, which no reader can follow. */
  readonly specifier: string | null;
  /** Gone at run time, so it cannot close a cycle there. `import { type A }` stays: only its names are erased. */
  readonly typeOnly: boolean;
}

export interface SourceScan {
  /** The source with comments and the insides of literals blanked; same length, so offsets and lines still hold. */
  readonly code: string;
  readonly literals: readonly Literal[];
  readonly imports: readonly Import[];
}

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//y;
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y;
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

// A slash after a value divides; anywhere else, and after these keywords, it opens a regular expression.
const ENDS_A_VALUE = /(?:[\w$)\]'"`]!?|\+\+|--)$/;
const ENDS_A_KEYWORD = /(?<![.\w$])(?:await|case|delete|do|else|in|instanceof|new|of|return|throw|typeof|void|yield)$/;

const EXPECTS_SPECIFIER = /(?<![.\w$])(?:from|import|import\s*\()$/;
const STATIC_IMPORT = /(?<![.\w$])(?:from|import)\s*(['"])(.*?)\1/g;
// The word before tells a computed import from a method that happens to be called `import`.
const DYNAMIC_IMPORT = /(await|return|typeof|=>|[=(?:])?\s*(?<![.\w$])import\s*\(\s*(?:(['"])(.*?)\2\s*[,)])?/g;
const HEAD_OF_TYPE_IMPORT = /\b(?:import|export)\s+type\s+[\w$*{][\w$*{},\s]*$/;
const TYPE_MEMBER_FOLLOWS = /^\s*\.\s*(?!then\b|catch\b|finally\b)[\w$]/;

const RE_EXPORT = /\bexport\s*(?:type\s*)?(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})(?:\s*from\s*(['"]).*?\1)?\s*;?/g;
const IMPORT_STATEMENT = /\bimport\b[^;()]*?(['"]).*?\1(?:\s*with\s*\{[^}]*\})?\s*;?/g;

export function scanSource(source: string): SourceScan {
  const { code, literals } = separateLiterals(source);
  return { code, literals, imports: readImports(code) };
}

/** A barrel only passes on what other files declare, under whichever spelling. */
export function isBarrel({ code, imports }: SourceScan): boolean {
  const withoutExports = code.replace(RE_EXPORT, '');
  return imports.length > 0 && withoutExports !== code && withoutExports.replace(IMPORT_STATEMENT, '').trim() === '';
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function separateLiterals(source: string): Pick<SourceScan, 'code' | 'literals'> {
  const code = source.split('');
  const literals: Literal[] = [];
  readCode(0, false);
  return { code: code.join(''), literals };

  /** Reads up to the brace that ends a template's expression, or to the end of the file; answers where it stopped. */
  function readCode(start: number, inTemplate: boolean): number {
    let at = start;
    let openBraces = 0;
    while (at < source.length) {
      const char = source[at];
      if (char === '/') at = readSlash(at);
      else if (char === "'" || char === '"') at = readString(at);
      else if (char === '`') at = readTemplate(at);
      else {
        if (char === '{') openBraces += 1;
        if (char === '}') {
          if (inTemplate && openBraces === 0) return at;
          openBraces -= 1;
        }
        at += 1;
      }
    }
    return at;
  }

  function readSlash(at: number): number {
    const comment = endOfMatch(COMMENT, at);
    if (comment !== undefined) return blank(at, comment);
    const before = codeBefore(at);
    const divides = ENDS_A_VALUE.test(before) && !ENDS_A_KEYWORD.test(before);
    const regexp = divides ? undefined : endOfMatch(REGEXP, at);
    return regexp === undefined ? at + 1 : blank(at + 1, regexp - 1) + 1;
  }

  /** Module specifiers stay readable in the code: they say whom the file knows, and no rule mistakes them for code. */
  function readString(at: number): number {
    const end = endOfMatch(STRING, at) ?? at + 1;
    literals.push({ line: lineAt(source, at), text: source.slice(at + 1, end - 1) });
    if (!EXPECTS_SPECIFIER.test(codeBefore(at))) blank(at + 1, end - 1);
    return end;
  }

  function readTemplate(start: number): number {
    let text = '';
    let at = start + 1;
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        text += '$';
        at = readCode(at + 2, true) + 1;
      } else {
        const width = source[at] === '\\' ? 2 : 1;
        text += source.slice(at, at + width);
        at = blank(at, at + width);
      }
    }
    literals.push({ line: lineAt(source, start), text });
    return at + 1;
  }

  function blank(start: number, end: number): number {
    for (let at = start; at < end; at += 1) if (code[at] !== '\n') code[at] = ' ';
    return end;
  }

  /** The last few characters of code before `at`, comments and white space left out: enough for one keyword. */
  function codeBefore(at: number): string {
    let end = at;
    while (end > 0 && code[end - 1]?.trim() === '') end -= 1;
    return code.slice(Math.max(0, end - 16), end).join('');
  }

  function endOfMatch(pattern: RegExp, at: number): number | undefined {
    pattern.lastIndex = at;
    return pattern.test(source) ? pattern.lastIndex : undefined;
  }
}

function readImports(code: string): Import[] {
  const imports: Import[] = [];
  for (const match of code.matchAll(STATIC_IMPORT)) {
    const typeOnly = HEAD_OF_TYPE_IMPORT.test(code.slice(0, match.index));
    imports.push({ line: lineAt(code, match.index), specifier: match[2] ?? null, typeOnly });
  }
  for (const match of code.matchAll(DYNAMIC_IMPORT)) {
    const [text, wordBefore, , specifier] = match;
    if (specifier === undefined && wordBefore === undefined) continue;
    const end = match.index + text.length;
    const typeOnly = wordBefore === 'typeof' || (wordBefore !== 'await' && TYPE_MEMBER_FOLLOWS.test(code.slice(end)));
    imports.push({ line: lineAt(code, end), specifier: specifier ?? null, typeOnly });
  }
  return imports;
}

// What follows a verb in prose ('Select a plan from the list') and never in SQL, unless `a` is itself a name there.
const NO_PROSE =
  '(?!(?:an?|the|your|our|its|their|this|that|these|those|some|any|each|every|all|another|one|which)\\s+' +
  '(?!(?:as|cross|from|group|inner|join|left|limit|on|order|set|union|values|where)\\b)[a-z])';
const NAME = '["\\w.$]+';
const OBJECT = '(?:table|index|schema|view|extension|function|trigger|sequence|database)';
const KIND = '(?:or\\s+replace|unique|temp|temporary|unlogged|virtual|materialized)';

const SQL_STATEMENTS = [
  `select\\s+${NO_PROSE}\\S[\\s\\S]*?\\sfrom\\s+${NO_PROSE}["\\w$(]`,
  'select\\s+(?:[\\w.]+\\((?!s\\))|\\d+\\s*(?:;|as\\b|$))',
  `(?:insert|replace)\\s+(?:or\\s+\\w+\\s+)?into\\s+${NO_PROSE}["\\w$]`,
  `update\\s+(?:or\\s+\\w+\\s+)?${NO_PROSE}${NAME}(?:\\s+(?:as\\s+)?\\w+)?\\s+set\\s+(?:${NAME}\\s*=|\\(|\\$)`,
  `delete\\s+from\\s+${NO_PROSE}["\\w$]`,
  `(?:create|alter|drop)\\s+(?:${KIND}\\s+)*${OBJECT}\\s+["\\w$]`,
  'truncate\\s+table\\s',
  `with\\s+(?:recursive\\s+)?${NAME}\\s*(?:\\([^)]*\\)\\s*)?\\bas\\s+(?:(?:not\\s+)?materialized\\s+)?\\(`,
  'begin\\s+(?:transaction|immediate|exclusive|deferred|isolation)\\b',
  '(?:commit|rollback)\\s+(?:transaction|prepared)\\b',
  '(?:begin|commit|rollback)\\s*;',
  'copy\\s+\\S[\\s\\S]*\\s(?:from\\s+stdin|to\\s+stdout)\\b',
  'pragma\\s+\\w',
];
const SQL_STATEMENT = new RegExp(`^(?:\\s|\\(|--.*\\n|/\\*[\\s\\S]*?\\*/)*(?:${SQL_STATEMENTS.join('|')})`, 'i');
const BARE_TRANSACTION_VERB = /^\s*(?:BEGIN|COMMIT|ROLLBACK)\s*$/;
// A sentence starts with one capital; SQL written so betrays itself by a mark that prose does without.
const SENTENCE = /^\s*[A-Z][a-z]/;
const SQL_MARK = /[*=_;]|\$\d|\w ?\((?!s\))\w/;

export function looksLikeSql(literal: string): boolean {
  const text = literal.replace(/\\[nrt]/g, ' ');
  if (SENTENCE.test(text) && !SQL_MARK.test(text)) return false;
  return SQL_STATEMENT.test(text) || BARE_TRANSACTION_VERB.test(text);
}
