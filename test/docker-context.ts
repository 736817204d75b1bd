import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files that `docker build` would send: those of a folder that its `.dockerignore` does not exclude. */
export function listContext(root: string): string[] {
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ includes: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));
  // The last matching rule wins. A rule for a folder applies to everything in it.
  const isIn = (path: string) => rules.findLast(({ pattern }) => pattern.test(path))?.includes !== false;
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[/\\](node_modules|\.git)([/\\]|$)/.test(entry.parentPath))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter(isIn);
}

export function copyContext(root: string, target: string): void {
  for (const path of listContext(root)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path));
  }
}

function patternOf(glob: string): RegExp {
  const parts = glob.split(/(\*\*\/|\*)/).map((part) => {
    if (part === '**/') return '(?:.*/)?';
    return part === '*' ? '[^/]*' : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join('')}(?:/.*)?$`);
}
