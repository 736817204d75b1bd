import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/until.ts';

/**
 * nginx and HAProxy in front of a server, with TLS and the configurations in `ops/`. The test changes only names, ports and
 * places of files, so the published configuration is the tested one.
 */
export interface RunningProxy {
  readonly port: number;
  /** The certificate, as PEM. */
  readonly certificate: string;
  [Symbol.asyncDispose](): Promise<void>;
}

export type ProxyName = 'nginx' | 'haproxy';
export const proxyNames: readonly ProxyName[] = ['nginx', 'haproxy'];
export const PROXY_HOST = 'registry.example.com';

/** The user "nobody", for a test that runs as root: a proxy needs no privileges. */
const NOBODY = 65_534;

export async function startProxy(name: ProxyName, port: number, targets: readonly string[]): Promise<RunningProxy> {
  const program = findProgram(name);
  const folder = mkdtempSync(join(tmpdir(), `firmament-${name}-`));
  const { certificate } = createCertificate(folder);
  const upstreams = targets.map((url) => new URL(url).host);
  const file = join(folder, `${name}.conf`);
  writeFileSync(
    file,
    name === 'nginx' ? configureNginx(folder, port, upstreams) : configureHaproxy(folder, port, upstreams),
  );
  const args = name === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', file] : ['-db', '-f', file];
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    for (const path of [folder, ...FILES.map((each) => join(folder, each))]) chownSync(path, NOBODY, NOBODY);
  }
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'close');
  async function stop(): Promise<void> {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  try {
    await until(`${name} listens`, () => {
      if (child.exitCode !== null) throw new Error(`${name} did not start: ${output}`);
      return accepts(port);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, certificate, [Symbol.asyncDispose]: stop };
}

const FILES = ['tls.crt', 'tls.key', 'tls.pem'] as const;

function findProgram(name: ProxyName | 'openssl'): string {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(`${name} is not installed: run "apt-get install nginx-light haproxy openssl"`);
}

function createCertificate(folder: string): { certificate: string } {
  const [crt, key, pem] = FILES.map((file) => join(folder, file)) as [string, string, string];
  const subject = ['-subj', `/CN=${PROXY_HOST}`, '-addext', `subjectAltName=DNS:${PROXY_HOST}`];
  const files = ['-keyout', key, '-out', crt, '-days', '2', '-nodes'];
  execFileSync(findProgram('openssl'), ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], {
    stdio: 'ignore',
  });
  const certificate = readFileSync(crt, 'utf8');
  writeFileSync(pem, certificate + readFileSync(key, 'utf8'), { mode: 0o600 });
  chmodSync(key, 0o600);
  return { certificate };
}

const CONFIGURATIONS: Readonly<Record<ProxyName, string>> = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg' };

/** The configuration that operators use. */
export function readDocumented(name: ProxyName): string {
  return readFileSync(new URL(`../../ops/${CONFIGURATIONS[name]}`, import.meta.url), 'utf8');
}

/** Replaces text that must be there, so that the test fails if the configuration changes in a way it does not expect. */
function replace(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the configuration in ops/ does not contain "${from}"`);
  return text.replaceAll(from, to);
}

function configureNginx(folder: string, port: number, upstreams: readonly string[]): string {
  let text = readDocumented('nginx');
  text = replace(text, '    server 127.0.0.1:3000;\n', upstreams.map((host) => `    server ${host};\n`).join(''));
  text = replace(text, 'listen 443', `listen 127.0.0.1:${port}`);
  text = replace(text, `/etc/ssl/${PROXY_HOST}`, join(folder, 'tls'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
access_log off;
${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n')}
${text}}
`;
}

function configureHaproxy(folder: string, port: number, upstreams: readonly string[]): string {
  let text = readDocumented('haproxy');
  const [line = ''] = /^ {4}server one 127\.0\.0\.1:3000.*\n/m.exec(text) ?? [];
  const servers = upstreams.map((host, at) => line.replace('one 127.0.0.1:3000', `machine${at} ${host}`));
  text = replace(text, line, servers.join(''));
  text = replace(text, 'bind :443', `bind 127.0.0.1:${port}`);
  text = replace(text, `/etc/ssl/${PROXY_HOST}`, join(folder, 'tls'));
  // With one thread, requests of different clients share the connections to the service.
  return `global\n    log stdout format raw local0\n    maxconn 4096\n    nbthread 1\n\n${text}`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
