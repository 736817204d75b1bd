import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Example {
  readonly heading: string;
  readonly code: string;
}

const root = new URL('../../', import.meta.url);

/** The examples of a document in one language, each with the heading above it. */
export function readExamples(path: string, language: string): Example[] {
  const text = readFileSync(new URL(path, root), 'utf8');
  return text.split(/^#+ /m).flatMap((section) => {
    const [heading = ''] = section.split('\n');
    return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => {
      return { heading, code };
    });
  });
}

/** The examples of the client's README as complete programs: those after the first use its client. */
export function readReadmePrograms(): Example[] {
  const [first, ...others] = readExamples('clients/typescript/README.md', 'ts');
  if (first === undefined) return [];
  const opening = first.code.slice(0, first.code.indexOf('\n\nfor '));
  return [first, ...others.map(({ heading, code }) => ({ heading, code: `${opening}\n\n${code}` }))];
}

/** Lets programs in the folder import `@firmament/client` without a build. */
export function linkClient(folder: string): void {
  const place = join(folder, 'node_modules/@firmament/client');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  const source = new URL('clients/typescript/src/index.ts', root).href;
  writeFileSync(join(place, 'index.js'), `export * from ${JSON.stringify(source)};\n`);
}
