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
    parts.push(
      escapeContent(code.slice(end, match.index)),
      html`<span class="${kind}">${breakAddress(match[0])}</span>`,
    );
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

/** Patterns by the class of their colour. If two patterns match at one place, the first applies. */
type Rules = Partial<Record<'comment' | 'key' | 'string' | 'number' | 'keyword' | 'name', string>>;

const DOUBLE_QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const SINGLE_QUOTED = String.raw`'(?:[^'\\]|\\.)*'`;
const NUMBER = String.raw`-?\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;

const LANGUAGES: Readonly<Record<string, Rules>> = {
  json: {
    key: String.raw`${DOUBLE_QUOTED}(?=\s*:)`,
    string: DOUBLE_QUOTED,
    number: NUMBER,
    keyword: words('true false null'),
  },
  sh: {
    comment: String.raw`(?<=^|\s)#.*`,
    string: `${DOUBLE_QUOTED}|'[^']*'`,
    // The keyword is the command, at the start of a line or after a pipe.
    keyword: String.raw`(?:^|(?<=[|&] ))[a-z][\w./-]*(?=\s|$)`,
    name: String.raw`\$\w+|\$\{[^}\n]*\}|(?<=\s)--?[A-Za-z][\w-]*|^[A-Z_]+(?==)`,
  },
  ts: {
    comment: String.raw`\/\/.*|\/\*[\s\S]*?\*\/`,
    string: `${SINGLE_QUOTED}|${DOUBLE_QUOTED}|${'`(?:[^`\\\\]|\\\\.)*`'}`,
    number: NUMBER,
    keyword: words(
      'any as async await boolean break case catch class const continue else export extends false finally for from function if ' +
        'import in interface let new null number of return string switch this throw true try type typeof undefined void while yield',
    ),
    name: String.raw`\b[A-Z]\w*`,
  },
  python: {
    comment: '#.*',
    string: String.raw`[fr]?(?:"""[\s\S]*?"""|${DOUBLE_QUOTED}|${SINGLE_QUOTED})`,
    number: NUMBER,
    keyword: words(
      'and as assert break class continue def elif else except False finally for from global if import in is lambda None not or ' +
        'pass raise return True try while with yield',
    ),
    name: String.raw`\b[A-Z]\w*`,
  },
  sql: {
    comment: '--.*',
    string: `'[^']*'`,
    number: NUMBER,
    keyword: words(
      'ADD ALTER AND AS BEGIN BY COMMIT CREATE DELETE EXISTS FROM GRANT GROUP IF INDEX INSERT INTO IS KEY LIMIT NOT NULL ON OR ORDER ' +
        'PRIMARY ROLE SCHEMA SELECT SET TABLE TO UPDATE USER VALUES WHERE WITH',
    ),
  },
};

const PATTERNS = new Map(Object.entries(LANGUAGES).map(([language, rules]) => [language, compile(rules)]));

function compile(rules: Rules): RegExp {
  const groups = Object.entries(rules).map(([kind, source]) => `(?<${kind}>${source})`);
  return new RegExp(groups.join('|'), 'gm');
}

function words(list: string): string {
  return String.raw`\b(?:${list.replaceAll(' ', '|')})\b`;
}
