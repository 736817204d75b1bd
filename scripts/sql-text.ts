/**
 * Decides whether a string literal is a SQL statement, so that the layers check can keep SQL in the stores. Sentences in
 * error messages and page texts often start with the same verbs ("Select a plan from the list"), and must not match.
 */

// Articles and pronouns that follow a verb in prose. In SQL they can only be a table or column name, and then a SQL
// keyword follows.
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
// Text in sentence case counts as prose unless it has a character that prose does not use.
const SENTENCE = /^\s*[A-Z][a-z]/;
const SQL_MARK = /[*=_;]|\$\d|\w ?\((?!s\))\w/;

export function looksLikeSql(literal: string): boolean {
  const text = literal.replace(/\\[nrt]/g, ' ');
  if (SENTENCE.test(text) && !SQL_MARK.test(text)) return false;
  return SQL_STATEMENT.test(text) || BARE_TRANSACTION_VERB.test(text);
}
