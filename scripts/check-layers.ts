/** `node scripts/check-layers.ts [root]`: checks every source file against the rules in layers.ts. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findViolations } from './layers.ts';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'));
const paths = globSync('{src,bench,demo,synthetic}/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
const files = new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const violations = findViolations(files);

for (const { file, line, rule, message } of violations) console.log(`${file}:${line} ${rule} ${message}`);
if (violations.length === 0) console.log(`layers: ${files.size} files, no violation`);
else process.exitCode = 1;
