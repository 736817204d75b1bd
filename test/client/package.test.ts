import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { scanSource } from '../../scripts/source-scan.ts';
import { buildLibrary, clientFolder as folder } from './build.ts';

const MAX_BYTES = 9_200;

/** Files of the command line, which runs in Node only and is not part of the library. */
const isCommandLine = (path: string) => path.startsWith('cli');

function listSources(extension: string, within = join(folder, 'src')): string[] {
  return readdirSync(within, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith(extension) && !isCommandLine(path),
  );
}

test('the package has no dependency, and the library imports nothing but its own files', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
    assert.equal(manifest[kind], undefined);
  const sources = listSources('.ts');
  assert.ok(sources.length >= 10);
  for (const path of sources) {
    const text = readFileSync(join(folder, 'src', path), 'utf8');
    const { imports, code } = scanSource(path, text);
    for (const { specifier } of imports) assert.match(specifier ?? '', /^\.{1,2}\//, path);
    assert.doesNotMatch(code, /\b(process|Buffer|require|__dirname|Deno|Bun)\b[.(]/, path);
  }
});

test(`the library has at most ${MAX_BYTES} bytes, built to JavaScript without comments, as one file and compressed`, () => {
  const out = buildLibrary();
  const files = listSources('.js', out);
  assert.ok(files.includes('index.js') && files.includes('transport.js'));
  const size = gzipSync(Buffer.concat(files.map((path) => readFileSync(join(out, path)))), { level: 9 }).length;
  assert.ok(size <= MAX_BYTES, `${size} bytes`);
  assert.ok(size > 4_000, `${size} bytes: is something missing?`);
});
