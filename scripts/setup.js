// Runs before `npm start` and `npm test`, on the Node that the machine has (20 or newer). Installs the dependencies if
// node_modules is missing or older than the lock file. npm writes node_modules/.package-lock.json at every install.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modified = (file) => statSync(join(root, file)).mtimeMs;

const installed = join(root, 'node_modules/.package-lock.json');
const pinnedNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
const isCurrent =
  existsSync(installed) &&
  existsSync(pinnedNode) &&
  modified('node_modules/.package-lock.json') >= modified('package-lock.json');

if (!isCurrent) {
  console.log('Installing dependencies (npm ci) …');
  // Without this npm warns that the running Node is older than the one it is about to install.
  const install = ['ci', '--loglevel=error'];
  // Uses the npm that runs this script, so that npm need not be on the path.
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, ...install]] : ['npm', install];
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
