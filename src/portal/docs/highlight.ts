import { escapeContent, type Html, html } from '../../base/html.ts';

/**
 * Colours code on the server: comments, strings, numbers, keywords and names. `highlight` is a scanner, not a parser: text that is not
 * recognized stays plain, and the text never changes.
 */
export function highlight(code: string, language: string): Html {
  const pattern = PATTERNS.get(language);
  if (pattern === undefined) return escapeContent(code);
  const parts: Html[] = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind = ''] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? [];
    const before = escapeContent(code.slice(end, match.index));
    parts.push(before, html`<span class="${kind}">${breakAddress(match[0])}</span>`);
    end = match.index + match[0].length;
  }
  return html`${parts}${escapeContent(code.slice(end))}`;
}

/** Lets the browser break an address between its parts, but not inside a word. `<wbr>` does not change the text. */
function breakAddress(text: string): Html {
  if (!text.includes('://')) return escapeContent(text);
  const parts = text.split(/(?<=[/?&])(?![/'"])/);
  return html`${parts.map((part, at) => html`${at > 0 && html`<wbr>`}${escapeContent(part)}`)}`;
}

const STRING = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const NUMBER = String.raw`(?<![\w.:/-])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:/-])`;
const TYPE_NAME = String.raw`\b[A-Z]\w*`;

/** For each language: comments, strings, keywords and names. If two patterns match at one place, the first applies. */
const PATTERNS = new Map([
  ['json', compile('(?!)', STRING, words('true false null'), '(?!)')],
  [
    'sh',
    // The keyword is the command, at the start of a line or after a pipe.
    compile(
      String.raw`(?<=^|\s)#.*`,
      `"(?:[^"\\\\]|\\\\.)*"|'[^']*'`,
      String.raw`(?:^|(?<=[|&] ))[a-z][\w./-]*(?=\s|$)`,
      String.raw`\$\w+|\$\{[^}\n]*\}|(?<=\s)--?[A-Za-z][\w-]*|^[A-Z_]+(?==)`,
    ),
  ],
  [
    'ts',
    compile(
      String.raw`\/\/.*|\/\*[\s\S]*?\*\/`,
      `${STRING}|${'`(?:[^`\\\\]|\\\\.)*`'}`,
      words('async await const export for from function if import new null of return string throw true type undefined'),
      TYPE_NAME,
    ),
  ],
  [
    'python',
    compile(
      '#.*',
      String.raw`[fr]?(?:"""[\s\S]*?"""|${STRING})`,
      words('and as def except for from if import in is None not or print raise return True try while with'),
      TYPE_NAME,
    ),
  ],
  [
    'sql',
    compile(
      '--.*',
      "'[^']*'",
      words(
        'ALL ALTER AND AS BY CREATE DELETE DESC FROM GRANT GROUP INSERT INTO LIMIT ON ORDER ROLE SCHEMA SECRET SELECT SET TO UPDATE USER WHERE',
      ),
      '(?!)',
    ),
  ],
]);

function compile(comment: string, text: string, keyword: string, name: string): RegExp {
  const key = String.raw`"(?:[^"\\]|\\.)*"(?=\s*:)`;
  const kinds = { comment, key, string: text, number: NUMBER, keyword, name };
  return new RegExp(
    Object.entries(kinds)
      .map(([kind, source]) => `(?<${kind}>${source})`)
      .join('|'),
    'gm',
  );
}

function words(list: string): string {
  return String.raw`\b(?:${list.replaceAll(' ', '|')})\b`;
}
