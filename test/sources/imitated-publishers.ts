import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { fillMonth } from '../../src/import/fetch/find.ts';
import type { Register } from '../../src/registers/contract.ts';
import type { DownloadPlan } from '../../src/registers/fetch-plan.ts';
import type { SyntheticFile } from '../../synthetic/file.ts';
import { generateParties, generateFile as generateSynthetic } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { use } from '../harness/use.ts';
import { createCertificate } from '../webhooks/certificate.ts';
import { type Answer, serveFile } from './publisher.ts';

/** Where portals and APIs store the files that they name. */
const STORAGE = 'https://storage.example';
/** The clock of tests is in March. */
const PREVIOUS_MONTH = new Date('2026-02-01T00:00:00Z');

/**
 * All publishers at their real addresses: a proxy leads every https connection to a local server with a certificate for
 * the hosts in the manifests. It offers generated files of the registers in the way in which their plans look for them.
 */
export interface ImitatedPublishers {
  /** Address of the proxy. */
  readonly proxy: string;
  readonly certificate: { readonly key: string; readonly cert: string };
  /** Addresses that were requested. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** For the tests of the surrounding `describe`. */
export function useImitatedPublishers(registers: readonly Register[]): ImitatedPublishers {
  return use(
    () => imitatePublishers(registers),
    (publishers) => publishers.close(),
  );
}

export async function imitatePublishers(
  registers: readonly Register[],
  given?: ImitatedPublishers['certificate'],
): Promise<ImitatedPublishers> {
  const answers = new Map<string, Answer>();
  for (const register of registers) await offerRegister(register, answers);
  const hosts = new Set([...answers.keys()].map((address) => new URL(address).hostname));
  const certificate = given ?? createCertificate([...hosts]);
  const defaults = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...defaults, certificate.cert]);
  const requests: string[] = [];
  const server = createTlsServer(certificate, (request, response) => {
    const address = `https://${request.headers.host}${request.url}`;
    requests.push(address);
    const answer = answers.get(address);
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response);
  }).listen(0, '127.0.0.1');
  const proxy = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(proxy, 'listening')]);
  proxy.on('connect', (_request, socket, head) => {
    const upstream = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).on('error', () => upstream.destroy());
      socket.pipe(upstream).on('error', () => socket.destroy());
    });
  });
  return {
    proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    certificate,
    requests,
    async close() {
      tls.setDefaultCACertificates(defaults);
      for (const each of [server, proxy]) {
        each.closeAllConnections();
        each.close();
      }
    },
  };
}

async function offerRegister(register: Register, answers: Map<string, Answer>): Promise<void> {
  const { fetch: plan } = register;
  if (plan.kind === 'manual') return;
  const offerFile = async (address: string, name: string) => {
    answers.set(address, serveFile({ body: await generateFile(register, name) }));
  };
  const offerText = (address: string, text: string) => {
    answers.set(address, (_request, response) => void response.writeHead(200).end(text));
  };
  for (const [address, name] of await offerPlan(plan, offerText)) await offerFile(address, name);
}

/** Offers the pages that name the files, and returns the addresses and names of the files. */
async function offerPlan(
  plan: DownloadPlan,
  offerText: (address: string, text: string) => void,
): Promise<(readonly [string, string])[]> {
  switch (plan.kind) {
    case 'fixed':
      return plan.files.map(({ url, name }) => [url, name ?? lastPart(url)] as const);
    case 'dated': {
      const urls = plan.files.map((file) => fillMonth(file, PREVIOUS_MONTH).href);
      return urls.map((url) => [url, lastPart(url)] as const);
    }
    case 'page':
      return plan.pages.flatMap(({ page, link }) => {
        const names = [1, 2].map((part) => imitateName(link).replace('<part>', String(part)).replace('<of>', '2'));
        const newest = [...new Set(names)];
        const all = [...newest.map((name) => name.replace('2026-03', '2026-02')), ...newest];
        offerText(page, all.map((name) => `<a href="${name}">x</a>`).join(' '));
        return newest.map((name) => [new URL(name, page).href, name] as const);
      });
    case 'ckan':
      return plan.packages.flatMap(({ package: wanted, resources }) => {
        const id = typeof wanted === 'string' ? wanted : `${wanted.query.replace(/^name:|\*$/g, '')}02-03-2026`;
        if (typeof wanted !== 'string') {
          const search = new URLSearchParams({ q: wanted.query, sort: 'metadata_created desc', rows: '20' });
          const results = [{ name: id }, { name: id.replace('03-2026', '12-2025') }];
          offerText(`${plan.api}/package_search?${search}`, JSON.stringify({ result: { results } }));
        }
        const names = resources.map(({ match }) => imitateName(match));
        const list = names.map((name) => ({ name, url: `${STORAGE}/${id}/${name}` }));
        offerText(`${plan.api}/package_show?id=${id}`, JSON.stringify({ result: { resources: list } }));
        return list.map(({ name, url }) => [url, name] as const);
      });
    case 'api':
      return plan.requests.flatMap(({ url, name }) => {
        const answer = {};
        const files = plan.paths.map(({ keys: path }) => {
          const file = name ?? `${path[2]}.csv.zip`;
          const address = `${STORAGE}/api/${file}${plan.temporary ? '?signature=secret' : ''}`;
          setAt(answer, path, address);
          return [address, file] as const;
        });
        offerText(url, JSON.stringify(answer));
        return files;
      });
  }
}

/** Sets a value inside of an object, and makes the objects and lists that lead to it. */
function setAt(target: object, path: readonly (string | number)[], value: string): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) return void Reflect.set(target, key, value);
  if (!Reflect.has(target, key)) Reflect.set(target, key, typeof rest[0] === 'number' ? [] : {});
  setAt(Reflect.get(target, key), rest, value);
}

function lastPart(url: string): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

/** A name that the pattern of a resource matches. */
function imitateName({ source }: RegExp): string {
  const name = source
    .replace('(^|\\/)', '')
    .replace(/\(\?<year>[^)]*\)/, '2026')
    .replace(/\(\?<month>[^)]*\)/, '03')
    .replace(/\(\?<day>[^)]*\)/, '01')
    .replace(/\(\?<(part|of)>[^)]*\)/g, '<$1>')
    .replace(/[\\$^]|^\\?\//g, '');
  return name === '01.03.2026' ? 'company_01.03.2026.xlsx' : name.replace(/^\//, '');
}

/** A generated file of the register, or of an archive of several tables the one that has this name. */
async function generateFile(register: Register, name: string): Promise<Buffer> {
  const sets = Object.values(generateParties(register, 12, 1));
  const part = /_\d+of\d+/.exec(name)?.[0] ?? `-${name.split('.')[0]}-`;
  const ofParties = sets.find((file) => file.name === name || file.name.includes(part));
  const file = ofParties ?? generateSynthetic(register, 12, 1);
  const folder = mkdtempSync(join(tmpdir(), 'firmament-imitated-'));
  try {
    return await readFile(await writeSynthetic(folder, chooseTable(file, name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function chooseTable(file: SyntheticFile, name: string): SyntheticFile {
  if (file.content.type !== 'archive') return { ...file, name };
  const stem = (text: string) => text.toLowerCase().replace(/\d*\.(zip|csv)$/, '');
  const start = stem(name).slice(0, 5);
  const { files } = file.content;
  const table =
    files.find((candidate) => stem(candidate.name) === stem(name)) ??
    files.find((candidate) => candidate.name.toLowerCase().includes(start)) ??
    files.at(-1);
  if (table === undefined) throw new Error(`no table ${name}`);
  return { name, packing: name.endsWith('.zip') ? 'zip' : 'none', content: table.content };
}
