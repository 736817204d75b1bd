import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The packed client, installed in a folder that has nothing else. */
export interface PackedClient {
  /** The folder of a program that uses the client. */
  readonly folder: string;
  /** What the tarball contains. */
  readonly files: readonly string[];
  /** The file of the command line. */
  readonly program: string;
  remove(): void;
}

/** Builds and packs the client, and installs the tarball without a network. */
export async function installPacked(): Promise<PackedClient> {
  const place = mkdtempSync(join(tmpdir(), 'firmament-client-pack-'));
  const remove = () => rmSync(place, { recursive: true, force: true });
  try {
    // Tests that run at the same time must not build in the same folder.
    const source = join(place, 'repository/clients/typescript');
    cpSync(join(root, 'tsconfig.json'), join(place, 'repository/tsconfig.json'));
    cpSync(join(root, 'clients/typescript'), source, { recursive: true, filter: (path) => !path.endsWith('/dist') });
    symlinkSync(join(root, 'node_modules'), join(place, 'repository/node_modules'));
    const { stdout } = await runNpm(['pack', '--json', '--pack-destination', place], source);
    const folder = join(place, 'program');
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    const [tarball = ''] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
    await runNpm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', join(place, tarball)], folder);
    return {
      folder,
      files: listFiles(stdout),
      program: join(folder, 'node_modules/.bin/firmament-client'),
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The output of the build comes first. */
function listFiles(output: string): string[] {
  const packed: unknown = JSON.parse(output.slice(output.search(/^[[{]\s*$/m)));
  const [{ files }] = Object.values(packed as object) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}

/** Runs the npm that runs the tests. Its settings for this repository do not apply to other folders. */
async function runNpm(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  const { npm_execpath: npm, npm_node_execpath: node = 'node' } = process.env;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_registry)/.test(name)),
  );
  const options = { cwd, env, timeout: 200_000 };
  return npm === undefined ? run('npm', args, options) : run(node, [npm, ...args], options);
}

/** Node 20, the oldest that the client supports: the one that runs npm, or one that npm installs. */
export async function findNode20(place: string): Promise<string> {
  const { npm_node_execpath: given } = process.env;
  if (given !== undefined) {
    const { stdout } = await run(given, ['--version']);
    if (stdout.startsWith('v20.')) return given;
  }
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(place, 'node-20');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await runNpm(['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@20`], folder);
  return join(folder, 'node_modules', name, 'bin/node');
}

export const clientFolder = join(root, 'clients/typescript');

/** Builds the library as the package has it, without comments and types. Returns the folder, which is removed after the test. */
export function buildLibrary(): string {
  const out = mkdtempSync(join(tmpdir(), 'firmament-client-'));
  after(() => rmSync(out, { recursive: true, force: true }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['--project', clientFolder, '--outDir', out, '--declaration', 'false', '--removeComments']);
  return out;
}
