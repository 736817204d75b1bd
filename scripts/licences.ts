/**
 * `npm run licences`: lists the licence of every installed package, for production and for development, and fails if one
 * is not permissive. Licences are read from the packages in node_modules, not from a registry.
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
  // Packages for other platforms are not installed here. A run on those platforms checks them.
  if (path === '' || link || !existsSync(manifest)) return [];
  const { name, license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'));
  const licence = describe(license ?? licenses);
  return { name: String(name), version, use: dev ? 'development' : 'production', licence };
});

for (const use of ['production', 'development']) {
  const packages = found.filter((each) => each.use === use);
  console.log(`${use}: ${packages.length} packages`);
  for (const [licence, group] of Map.groupBy(packages, (each) => each.licence)) {
    const names = group.map(({ name, version }) => `${name}@${version}`).sort();
    console.log(`  ${licence} (${names.length}): ${names.join(', ')}`);
  }
}
const isTestOnly = ({ name, licence, use }: (typeof found)[number]) =>
  use === 'development' && testOnly[name] === licence;
const rejected = found.filter((each) => !isPermissive(each.licence) && !isTestOnly(each));
for (const { name, version, licence } of rejected) {
  console.error(
    `${name}@${version} has the licence "${licence}", which scripts/licence-terms.ts does not list as permissive`,
  );
}
if (rejected.length > 0 || found.length === 0) process.exitCode = 1;

/** Old packages declare an object, or a list of objects. */
function describe(licence: unknown): string {
  if (Array.isArray(licence)) return licence.map(describe).join(' OR ');
  if (typeof licence === 'object' && licence !== null) return String(Reflect.get(licence, 'type'));
  return typeof licence === 'string' ? licence : 'none';
}
