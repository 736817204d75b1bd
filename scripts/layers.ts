/**
 * The architecture as data, and the check that enforces it. A room is a folder of src, or a folder beside it that contains code. To change the
 * architecture, change a table here and docs/architecture.md.
 */
import { isBuiltin } from 'node:module';
import { usesOfProcess, usesOfStatusNumbers } from './code-patterns.ts';
import { findCycles, resolveImport, type Violation } from './import-cycles.ts';
import { type CodeRule, isPure, isPureBuiltIn, PURE, pureBase } from './pure-base.ts';
import { lineAt, type SourceScan, scanSource } from './source-scan.ts';
import { looksLikeSql } from './sql-text.ts';

/** The rooms of src from bottom to top, and what each may import. A room imports only rooms of lower floors. */
const ROOMS: Readonly<Record<string, readonly [floor: number, imports: string]>> = {
  base: [1, ''],
  formats: [2, 'base'],
  registers: [2, 'base'],
  http: [2, 'base'],
  accounts: [2, 'base'],
  billing: [2, 'base'],
  registry: [3, 'base registers'],
  search: [3, 'base formats registers'],
  import: [4, 'base formats registers registry'],
  watch: [4, 'base accounts registry search'],
  exports: [4, 'base registers accounts registry search'],
  api: [5, 'base registers http accounts billing registry search import watch exports'],
  portal: [5, 'base registers http accounts billing registry search import watch exports'],
  services: [5, 'base registers accounts billing registry search import watch exports'],
  cli: [6, 'base formats registers billing registry search import exports api portal services demo'],
  server: [6, 'base http registry search import exports api portal services demo'],
  'main.ts': [7, 'base cli server bench synthetic'],
};

/** Rooms beside src, for developers and the demo. They do not import each other, except where listed. */
const BESIDE: Readonly<Record<string, string>> = {
  synthetic: 'base formats registers cli',
  demo: 'base registers http accounts billing registry import watch portal synthetic',
  bench: 'base formats registers accounts registry search import watch exports synthetic',
};

const STORES = '*/store.ts';
/** Rooms that may import a `store.ts` of another room. Others use the functions that the room exports. */
const READS_STORES: Readonly<Record<string, string>> = { import: 'registry', watch: 'registry', cli: 'registry' };

/** Files that may import from the client package, whose command line prints names of companies as ours does. */
const CLIENT: Readonly<Record<string, string>> = {
  'src/cli/clients.ts': 'clients/typescript/src/cli/bridge/',
  'src/base/terminal/': 'clients/typescript/src/cli/text.ts',
};

/** Packages that only some places may import. Other packages are open to all places that are not pure. */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['src/base/db/'],
  pg: ['src/base/db/'],
  'pg-copy-streams': ['src/base/db/'],
  stripe: ['src/billing/', 'demo/'],
  jose: ['src/accounts/', 'demo/'],
  'openid-client': ['src/accounts/'],
  'oidc-provider': ['demo/'],
  undici: ['src/import/fetch/', 'src/search/clickhouse/', 'src/watch/webhooks/'],
  nodemailer: ['src/watch/mail/'],
  croner: ['src/base/config/'],
  'hyparquet-writer': ['src/exports/'],
  '@modelcontextprotocol/server': ['src/api/mcp/'],
  zod: ['src/api/mcp/'],
};

const SQL_HOMES = [STORES, 'src/search/clickhouse/', 'src/base/db/'];
const BARREL_HOMES = ['src/registers/list.ts'];

/** Code that is allowed only in the files listed as `homes`. */
const CODE_RULES: readonly CodeRule[] = [
  pureBase,
  {
    rule: 'environment',
    pattern: usesOfProcess('env'),
    homes: ['src/base/config/config.ts'],
    message: 'only src/base/config/config.ts reads the environment: take the value from Config as an argument',
  },
  {
    rule: 'exit',
    pattern: usesOfProcess('exit'),
    homes: ['src/main.ts'],
    message: 'only src/main.ts ends the process: throw, or return an exit code',
  },
  {
    rule: 'clock',
    pattern: /\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g,
    homes: ['src/base/clock.ts'],
    message: 'only src/base/clock.ts reads the wall clock: take a Clock as an argument',
  },
  {
    rule: 'http-status',
    pattern: usesOfStatusNumbers(),
    homes: [
      'src/base/errors.ts',
      'src/base/observability/',
      'src/http/',
      'src/api/',
      'src/portal/',
      'demo/',
      'bench/',
      // They read the responses of publishers and of receivers.
      'src/import/fetch/requests.ts',
      'src/watch/webhooks/delivery/sender.ts',
    ],
    message: "HTTP status numbers belong to the edge: throw fail('code'); src/base/errors.ts maps it to a status",
  },
  {
    rule: 'default-export',
    pattern: /\bexport\s+default\b|\bexport\s*\{[^}]*\bdefault\s*[,}]/g,
    homes: [],
    message: 'default exports are not allowed: use a named export',
  },
];

export function findViolations(files: ReadonlyMap<string, string>): Violation[] {
  const scans = new Map([...files].map(([file, source]) => [file, scanSource(file, source)]));
  const violations = [...scans].flatMap(([file, scan]) => [
    ...checkImports(file, scan),
    ...checkCode(file, scan),
    ...checkSql(file, scan),
    ...checkBarrel(file, scan),
  ]);
  violations.push(...findUnknownRooms([...files.keys()]), ...findCycles(scans));
  return violations.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

function checkImports(file: string, { imports }: SourceScan): Violation[] {
  if (isTest(file) || !isKnown(roomOf(file))) return [];
  return imports.flatMap(({ line, specifier }) => {
    const message = specifier === null ? COMPUTED_IMPORT : objectionToImport(file, specifier);
    return message === undefined ? [] : [{ file, line, rule: 'imports', message }];
  });
}

const COMPUTED_IMPORT = 'a computed import path cannot be checked: write the path as a string literal';

function objectionToImport(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return objectionToFile(file, resolveImport(file, specifier));
  if (/^(?:[#/]|file:|data:)/.test(specifier)) return `import '${specifier}' by its relative path`;
  return objectionToPackage(file, specifier);
}

function objectionToFile(file: string, target: string): string | undefined {
  if (target.startsWith('clients/')) {
    const isOpen = Object.entries(CLIENT).some(([home, part]) => file.startsWith(home) && target.startsWith(part));
    return isOpen ? undefined : `${file} may not import ${target}: the client package is for users of the service`;
  }
  if (isPure(file) && !isPure(target)) return `${file} only computes: it may import ${PURE}, not ${target}`;
  const [room, other] = [roomOf(file), roomOf(target)];
  if (room === other) return objectionToRegister(file, target);
  const allowed = importsOf(room).split(' ');
  if (!allowed.includes(other)) {
    return `${room} may import ${allowed.join(', ') || 'no other room'}, not ${target}: take what you need as an argument`;
  }
  const isStoreAllowed = READS_STORES[room] === other;
  if (!isIn(target, [STORES]) || isStoreAllowed) return undefined;
  return `${room} never imports a store (${target}): use the functions that ${other} exports`;
}

/** One register may not import another, and only the list of registers imports them. */
function objectionToRegister(file: string, target: string): string | undefined {
  const register = registerOf(target);
  if (register === undefined || register === registerOf(file) || isIn(file, BARREL_HOMES)) return undefined;
  return `${file} may not import ${target}: what several registers need is beside their folders`;
}

function objectionToPackage(file: string, specifier: string): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const homes = PACKAGE_HOMES[name];
  if (homes && !isIn(file, homes)) return `only ${homes.join(' and ')} may import ${name}: go through that folder`;
  if (!isPure(file)) return undefined;
  // Schemas are values.
  if (name === 'typebox') return undefined;
  if (!isBuiltin(specifier)) return `${file} only computes and may not import packages (${name}): use a Node built-in`;
  return isPureBuiltIn(file, specifier) ? undefined : `${file} only computes and may not import ${specifier}`;
}

function checkCode(file: string, { code }: SourceScan): Violation[] {
  const rules = CODE_RULES.filter(({ within, homes }) => within?.(file) !== false && !isIn(file, homes));
  return rules.flatMap(({ rule, pattern, message }) =>
    [...code.matchAll(pattern)].map(({ index }) => ({ file, line: lineAt(code, index), rule, message })),
  );
}

function checkSql(file: string, { literals }: SourceScan): Violation[] {
  if (isIn(file, SQL_HOMES)) return [];
  const message =
    'SQL is allowed only in a store.ts, in search/clickhouse/ and in db/: move the statement into a function there';
  return literals.filter(({ text }) => looksLikeSql(text)).map(({ line }) => ({ file, line, rule: 'sql', message }));
}

function checkBarrel(file: string, { isBarrel }: SourceScan): Violation[] {
  if (isIn(file, BARREL_HOMES) || !isBarrel) return [];
  const message = 'barrel files are not allowed: import each name from the file that declares it';
  return [{ file, line: 1, rule: 'barrel', message }];
}

/** Reports each unknown room once, at its first file, so that a new folder gets its row deliberately. */
function findUnknownRooms(files: readonly string[]): Violation[] {
  const firstFiles = new Map<string, string>();
  for (const file of files.filter((name) => !isTest(name)).sort()) {
    const room = roomOf(file);
    if (!isKnown(room) && !firstFiles.has(room)) firstFiles.set(room, file);
  }
  return [...firstFiles].map(([room, file]) => {
    const message = `${room} has no row in ROOMS (scripts/layers.ts): move the file, or add a row`;
    return { file, line: 1, rule: 'unknown-room', message };
  });
}

/** Reports rows of the table that contradict its floors. */
export function findUpwardRows(): string[] {
  return Object.entries(ROOMS).flatMap(([room, [floor, imports]]) =>
    imports
      .split(' ')
      .filter((name) => Object.hasOwn(ROOMS, name) && (ROOMS[name]?.[0] ?? 0) >= floor)
      .map((name) => `${room} is not above ${name}`),
  );
}

function roomOf(file: string): string {
  const [root = '', folder = ''] = file.split('/');
  return root === 'src' ? folder : root;
}

function importsOf(room: string): string {
  return ROOMS[room]?.[1] ?? BESIDE[room] ?? '';
}

/** The folder of a register, such as `gb`. */
function registerOf(file: string): string | undefined {
  return /^src\/registers\/([a-z]+(?:-[a-z]+)?)\/(?<!classifications\/)/.exec(file)?.[1];
}

function isKnown(room: string): boolean {
  return Object.hasOwn(ROOMS, room) || Object.hasOwn(BESIDE, room);
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts');
}

function isIn(file: string, homes: readonly string[]): boolean {
  return homes.some((home) => {
    if (home.startsWith('*')) return file.endsWith(home.slice(1));
    return home.endsWith('/') ? file.startsWith(home) : file === home;
  });
}
