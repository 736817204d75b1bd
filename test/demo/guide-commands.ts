import { readdirSync, readFileSync } from 'node:fs';

const GUIDES = new URL('../../docs/guides/', import.meta.url);

/** A command of a guide that sends a request with curl, and what is printed below it. */
export interface GuideCommand {
  readonly guide: string;
  readonly command: string;
  /** The reply as JSON, if the guide shows it. */
  readonly shown: unknown;
}

export function listGuideCommands(): GuideCommand[] {
  return readdirSync(GUIDES)
    .filter((name) => name.endsWith('.md'))
    .flatMap((guide) => {
      const text = readFileSync(new URL(guide, GUIDES), 'utf8');
      const blocks = [...text.matchAll(/^( *)```sh\n(.*?)^\1```\n(?:\n?[^`\n]*\n?\n```json\n(.*?)^```)?/gms)];
      return blocks
        .map(([, , code = '', json]) => ({ guide, ...readBlock(code), ...(json && { shown: JSON.parse(json) }) }))
        .filter(({ command }) => command.includes('curl '));
    });
}

/** Lines after "$ " are commands, the others what they print. Without any, all lines are commands. */
function readBlock(code: string): { command: string; shown: unknown } {
  if (!code.startsWith('$ ')) return { command: code, shown: undefined };
  const at = code.search(/^\{/m);
  const command = at < 0 ? code : code.slice(0, at);
  return {
    command: command.replaceAll(/^\$ /gm, ''),
    shown: at < 0 ? undefined : JSON.parse(code.slice(at).replaceAll('\n', '')),
  };
}

/** Names of what is shown that the reply does not have. Lists are compared by their first items, and what is empty or null in the reply fits all. */
export function listMissing(shown: unknown, given: unknown, path = ''): string[] {
  if (typeof shown !== 'object' || shown === null || given === null) return [];
  if (Array.isArray(shown)) {
    if (!Array.isArray(given)) return [path];
    return given.length === 0 || shown.length === 0 ? [] : listMissing(shown[0], given[0], `${path}[]`);
  }
  return Object.entries(shown).flatMap(([name, value]) => {
    const found = Reflect.get(Object(given), name);
    return found === undefined ? [`${path}.${name}`] : listMissing(value, found, `${path}.${name}`);
  });
}
