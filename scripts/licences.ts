/**
 * `npm run licences`: lists the licence of every package that is installed, for production and for development, and fails on
 * one that is not permissive. Read from node_modules: what a package says of itself, not what a registry says of it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPermissive, testOnly } from './licence-terms.ts';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const root = resolve(import.meta.dirname, '..');
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const found = Object.entries<LockedPackage>(lock.packages).flatMap(([path, { version, dev, link }]) => {
  const manifest = join(root, path, 'package.json');
  // What is for another system is not installed here; whoever runs this there sees it.
  if (path === '' || link || !existsSync(manifest)) return [];
  const { name, license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
  const licence = describe(license ?? licenses);
  return { name: String(name), version, use: dev ? 'development' : 'production', licence };
});

for (const use of ['production', 'development']) {
  const ours = found.filter((each) => each.use === use);
  console.log(`${use}: ${ours.length} packages`);
  for (const [licence, group] of Map.groupBy(ours, (each) => each.licence)) {
    const names = group.map(({ name, version }) => `${name}@${version}`).sort();
    console.log(`  ${licence} (${names.length}): ${names.join(', ')}`);
  }
}
const isTestOnly = ({ name, licence, use }: (typeof found)[number]) =>
  use === 'development' && testOnly[name] === licence;
const refused = found.filter((each) => !isPermissive(each.licence) && !isTestOnly(each));
for (const { name, version, licence } of refused) {
  console.error(`${name}@${version} is under "${licence}", which is not on the list in scripts/licence-terms.ts`);
}
if (refused.length > 0 || found.length === 0) process.exitCode = 1;

/** Old packages have an object, or a list of them. */
function describe(licence: unknown): string {
  if (Array.isArray(licence)) return licence.map(describe).join(' OR ');
  if (typeof licence === 'object' && licence !== null) return String(Reflect.get(licence, 'type'));
  return typeof licence === 'string' ? licence : 'none';
}
