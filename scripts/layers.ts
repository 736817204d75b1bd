/**
 * The architecture as data, and the check that enforces it. A place is a folder or a file directly under src, or a folder beside it. The tables
 * below say what each place may import and contain. To change the architecture, change a table here and
 * docs/architecture.md.
 */
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { usesOfProcess, usesOfStatusNumbers } from './code-patterns.ts';
import { findCycles, resolveImport, type Violation } from './import-cycles.ts';
import { type CodeRule, mayImportSystem, objectionToBuiltIn, pureCore } from './pure-core.ts';
import { lineAt, type SourceScan, scanSource } from './source-scan.ts';
import { looksLikeSql } from './sql-text.ts';

/** Without `only`, a place may import everything except what `never` lists. */
interface ImportRule {
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}

const STORES = '*/store.ts';
/** The common fields of all registers: adapters fill them, the contract and the portal describe them. */
const VOCABULARY = ['registers/vocabulary.ts', 'registers/vocabulary-values.ts'];
/** What the tables of registers are written in. */
const LANGUAGE = ['fields', 'record', 'address', 'check-digits', 'parsing'].map((name) => `registers/${name}.ts`);
const DOMAIN = [
  ...[
    'records',
    'journal',
    'importing',
    'parties',
    'registry',
    'search',
    'matching',
    'accounts',
    'metering',
    'billing',
    'monitors',
    'webhooks',
    'exports',
    'operations',
  ],
];

/** Folders beside src, which serve developers and the demo. Nothing that serves users may depend on them. */
const BESIDE_SRC = ['bench', 'demo', 'synthetic'];

/** Which place may import which. Files of the same place may always import each other. */
const MAY_IMPORT: Readonly<Record<string, ImportRule>> = {
  core: { only: [] },
  // Official tables, and pure functions over them.
  classifications: { only: ['core'] },
  system: { only: ['core'] },
  db: { only: ['core'] },
  formats: { only: ['core'] },
  'registers/<cc>': {
    only: [
      ...['registers/contract.ts', 'registers/data-files.ts', 'registers/fetch-plan.ts', ...VOCABULARY, ...LANGUAGE],
      ...['registers/mapped-party.ts', 'core'],
    ],
  },
  'registers/data-files.ts': { only: [] },
  'registers/check-digits.ts': { only: [] },
  'registers/contract.ts': {
    only: [
      ...['registers/data-files.ts', 'registers/fetch-plan.ts', 'registers/mapped-record.ts'],
      ...['registers/mapped-party.ts', 'core'],
    ],
  },
  'registers/mapped-record.ts': { only: [...VOCABULARY, 'registers/mapped-party.ts', 'core'] },
  'registers/mapped-party.ts': { only: VOCABULARY },
  'registers/fetch-plan.ts': { only: [] },
  'registers/vocabulary.ts': { only: ['registers/vocabulary-values.ts', 'core'] },
  'registers/vocabulary-values.ts': { only: [] },
  'registers/parsing.ts': { only: ['core'] },
  'registers/address.ts': { only: ['registers/vocabulary.ts', 'registers/parsing.ts', 'core'] },
  'registers/fields.ts': { only: ['registers/contract.ts', 'registers/vocabulary.ts', ...LANGUAGE, 'core'] },
  'registers/record.ts': {
    only: ['registers/contract.ts', 'registers/vocabulary.ts', 'registers/fields.ts', 'registers/parsing.ts'],
  },
  'registers/index.ts': { only: ['registers/contract.ts', 'registers/<cc>', 'core'] },
  'registers/vat-numbers.ts': { only: ['registers/index.ts', 'core'] },
  'registers/number-check.ts': {
    only: ['registers/contract.ts', 'registers/index.ts', 'registers/vat-numbers.ts', 'core'],
  },
  // One record: how it is stored, read and rendered, and where it comes from.
  records: {
    only: [
      ...['core', 'classifications', 'db', 'registers/index.ts', 'registers/contract.ts', 'registers/vocabulary.ts'],
    ],
  },
  // Who is connected with companies. importing/ writes it.
  parties: { only: ['core', 'db', 'records', 'registers/contract.ts'] },
  // What imports have changed, and the feed that shows it.
  journal: { only: ['core', 'db', 'records'] },
  // From official files to a commit, and back again for a proof.
  importing: {
    only: [
      ...['core', 'db', 'formats', 'registers/index.ts', 'registers/contract.ts', 'registers/vocabulary.ts'],
      ...['records', 'journal', 'parties'],
    ],
  },
  // What can be asked about the records: one of them, countries, registers and their freshness.
  registry: {
    only: [
      ...['core', 'classifications', 'db', 'registers/index.ts', 'registers/contract.ts', 'records', 'importing'],
      'parties',
    ],
  },
  sources: { only: ['core', 'formats', 'registers/contract.ts', 'registers/fetch-plan.ts'] },
  // Fetches with sources/ and imports with importing/: the only place that knows both.
  updating: {
    only: [
      ...['core', 'db', 'registers/index.ts', 'registers/contract.ts', 'records', 'importing', 'registry', 'sources'],
      'config',
    ],
    never: [STORES],
  },
  // Writes what records/ reads and renders. http/ and web/ list the files.
  exports: {
    only: ['core', 'db', 'registers/index.ts', 'registers/contract.ts', ...VOCABULARY, 'records', 'parties'],
    never: [STORES],
  },
  search: { only: ['core', 'classifications', 'db', 'validation', 'registers/vat-numbers.ts', 'matching'] },
  // Compares names and evidence, and reads lists of them (formats/). Names of legal forms are in classifications/. Candidates come through a port that search/ fills.
  matching: { only: ['classifications', 'core', 'formats'], never: [STORES] },
  accounts: { only: ['core', 'db'] },
  // Compares the journal with what accounts watch.
  monitors: { only: ['core', 'db', 'accounts', 'journal', 'search'], never: [STORES] },
  metering: { only: ['core', 'db'] },
  billing: { only: ['core', 'db'] },
  // Sends what monitors/ finds, and charges it.
  webhooks: { only: ['core', 'db', 'metering', 'monitors'], never: [STORES] },
  // The one road of charged requests: it knows keys and the meter, and no operation.
  operations: { only: ['core', 'accounts', 'metering'], never: [STORES] },
  // Quotes and sends whole results.
  'result-files': { only: ['core', 'search', 'operations'], never: [STORES] },
  observability: { only: ['core', 'terminal'] },
  validation: { only: ['core'] },
  // Tools for assistants. It knows the protocol; http/ knows the endpoint.
  mcp: {
    only: [
      'core',
      'classifications',
      'validation',
      'records',
      'journal',
      'parties',
      'registry',
      'search',
      'matching',
      'operations',
      'updating',
      'registers/number-check.ts',
    ],
    never: [STORES],
  },
  // The Reconciliation Service API. It knows the protocol; http/ knows the endpoints.
  reconciliation: { only: ['core', 'validation', 'registry', 'search', 'matching'], never: [STORES] },
  // The server: connections, routing, bodies, replies. It does not know what is served.
  transport: { only: ['core', 'observability', 'validation'] },
  http: {
    only: [
      'transport',
      ...DOMAIN,
      'classifications',
      'result-files',
      'mcp',
      'reconciliation',
      ...VOCABULARY,
      'observability',
      'validation',
      'core',
    ],
    never: [STORES],
  },
  // Of updating/ it needs the proofs of records.
  web: {
    only: ['transport', ...DOMAIN, 'classifications', 'result-files', 'updating', ...VOCABULARY, 'core'],
    never: [STORES],
  },
  serving: { never: ['main.ts', 'commands', ...BESIDE_SRC, STORES] },
  // Of exports/ it needs the names of the formats.
  config: { only: ['core', 'exports'] },
  terminal: { only: ['core'] },
  // The demo is the only part beside src that commands reach.
  commands: { never: ['main.ts', 'bench', 'synthetic'] },
  services: { never: ['main.ts', 'commands', 'serving', ...BESIDE_SRC] },
  // It also runs the commands of bench/ and synthetic/.
  'main.ts': { never: ['demo'] },
  // Beside src: measuring, the offline stand-ins, invented files.
  bench: { never: ['services', 'main.ts', 'commands', 'serving', STORES] },
  demo: { never: ['services', 'main.ts', 'commands', 'serving', 'bench', STORES] },
  synthetic: {
    only: [
      'core',
      'formats',
      'registers/<cc>',
      'registers/contract.ts',
      'registers/check-digits.ts',
      'registers/parsing.ts',
      'terminal',
      'commands',
    ],
  },
};

/** What places may import from the client package. */
const CLIENT: Readonly<Record<string, readonly string[]>> = {
  // `firmament mcp` is a command of that package, too.
  commands: ['clients/typescript/src/cli/bridge/'],
  // Both command lines print names of companies, which must not control the terminal.
  terminal: ['clients/typescript/src/cli/text.ts'],
};

/** Packages that only some places may import. Other packages are open to all places except core. */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  'node:sqlite': ['db'],
  pg: ['db'],
  'pg-copy-streams': ['db'],
  stripe: ['billing', 'demo'],
  jose: ['accounts', 'demo'],
  'openid-client': ['accounts'],
  'oidc-provider': ['demo'],
  undici: ['sources', 'search', 'webhooks'],
  croner: ['config'],
  'hyparquet-writer': ['exports'],
  '@modelcontextprotocol/server': ['mcp'],
  zod: ['mcp'],
};

const BUILT_INS_ONLY = ['core', 'system'];
const SQL_HOMES = [STORES, 'src/search/clickhouse/', 'src/db/'];
const BARREL_HOMES = ['src/registers/index.ts'];

/** Code that is allowed only in the files listed as `homes`. */
const CODE_RULES: readonly CodeRule[] = [
  pureCore,
  {
    rule: 'environment',
    pattern: usesOfProcess('env'),
    homes: ['src/config/config.ts'],
    message: 'only src/config/config.ts reads the environment: take the value from Config as an argument',
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
    homes: ['src/core/clock.ts'],
    message: 'only src/core/clock.ts reads the wall clock: take a Clock as an argument',
  },
  {
    rule: 'http-status',
    pattern: usesOfStatusNumbers(),
    homes: [
      'src/core/errors.ts',
      'src/transport/',
      'src/http/',
      'src/web/',
      'src/observability/',
      'demo/',
      'bench/',
      // The protocol defines the statuses of its errors.
      'src/mcp/protocol.ts',
      // They read the responses of publishers.
      'src/sources/requests.ts',
      // It reads the responses of receivers.
      'src/webhooks/delivery/sender.ts',
    ],
    message: "HTTP status numbers belong to the edge: throw fail('code'); src/core/errors.ts maps it to a status",
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
  violations.push(...findUnknownPlaces([...files.keys()]), ...findCycles(scans));
  return violations.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

function checkImports(file: string, { imports }: SourceScan): Violation[] {
  if (isTest(file) || !isKnown(placeOf(file))) return [];
  return imports.flatMap(({ line, specifier }) => {
    const message = specifier === null ? COMPUTED_IMPORT : objectionToImport(file, specifier);
    return message === undefined ? [] : [{ file, line, rule: 'imports', message }];
  });
}

const COMPUTED_IMPORT = 'a computed import path cannot be checked: write the path as a string literal';

function objectionToImport(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return objectionToFile(file, resolveImport(file, specifier));
  if (/^(?:[#/]|file:|data:)/.test(specifier)) return `import '${specifier}' by its relative path`;
  return objectionToPackage(placeOf(file), specifier);
}

function objectionToFile(file: string, target: string): string | undefined {
  if (homeOf(file) === homeOf(target)) return undefined;
  const { only, never = [] } = MAY_IMPORT[placeOf(file)] ?? {};
  const place = placeOf(target);
  if (target.startsWith('clients/')) {
    if (isIn(target, CLIENT[placeOf(file)] ?? [])) return undefined;
    return `${placeOf(file)} may not import ${target}: the client package is for users of the service`;
  }
  if (isIn(target, [STORES]) && never.includes(STORES)) {
    return `${placeOf(file)} never imports a store (${target}): use the service that ${place} exports`;
  }
  if (place === 'system' && mayImportSystem(placeOf(file))) return undefined;
  if ((only?.includes(place) ?? true) && !never.includes(place)) return undefined;
  const allowance = only ? `only ${only.join(', ') || 'Node'}` : `anything but ${never.join(', ')}`;
  return `${placeOf(file)} may import ${allowance}, not ${target}: take what you need as an argument`;
}

function objectionToPackage(place: string, specifier: string): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  const homes = PACKAGE_HOMES[name];
  if (homes && !homes.includes(place)) return `only ${homes.join(' and ')} may import ${name}: go through that folder`;
  if (BUILT_INS_ONLY.includes(place) && !isBuiltin(specifier)) {
    return `${place} may not import packages (${name}): use a Node built-in, or move the code out of ${place}`;
  }
  return objectionToBuiltIn(place, specifier);
}

function checkCode(file: string, { code }: SourceScan): Violation[] {
  const rules = CODE_RULES.filter(({ within = '', homes }) => file.startsWith(within) && !isIn(file, homes));
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

/** Reports each unknown place once, at its first file, so that a new folder gets its row deliberately. */
function findUnknownPlaces(files: readonly string[]): Violation[] {
  const firstFiles = new Map<string, string>();
  for (const file of files.filter((name) => !isTest(name)).sort()) {
    const place = placeOf(file);
    if (!isKnown(place) && !firstFiles.has(place)) firstFiles.set(place, file);
  }
  return [...firstFiles].map(([place, file]) => {
    const message = `${place} has no row in MAY_IMPORT (scripts/layers.ts): move the file, or add a row`;
    return { file, line: 1, rule: 'unknown-place', message };
  });
}

/** The row of MAY_IMPORT that applies to a file. */
function placeOf(file: string): string {
  const [root, folder = '', ...rest] = file.split('/');
  if (root !== 'src') return root !== undefined && BESIDE_SRC.includes(root) ? root : 'outside src';
  if (folder !== 'registers') return folder;
  return rest.length > 1 ? 'registers/<cc>' : posix.join(folder, ...rest);
}

/** Like placeOf, but distinguishes the registers, because one register may not import another. */
function homeOf(file: string): string {
  return placeOf(file) === 'registers/<cc>' ? file.split('/', 3).join('/') : placeOf(file);
}

function isKnown(place: string): boolean {
  return Object.hasOwn(MAY_IMPORT, place);
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
