import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startHttp } from '../harness/http-server.ts';
import { startService, type TestService } from '../harness/service.ts';

/**
 * What the conformance suite tests and we do not serve. Scenarios of extensions (tasks, skills) belong to no revision and are not run.
 * A failed check of a listed scenario is accepted only with the message that belongs to the reason, so other failures in the same
 * scenario are still found.
 */
const reasons = {
  /** The scenario calls a tool of the suite's own reference server, such as `test_simple_text`. */
  'needs a tool of the suite':
    /There is no such tool|^Not testable: server does not list the diagnostic tool|^Tool 'json_schema_2020_12_tool' not found/,
  /** The same, but the message does not name the tool: there is no first result that the scenario could continue with. */
  'needs a tool that asks the user':
    /There is no such tool|Expected InputRequiredResult|could not get initial InputRequiredResult|instead of re-requesting/,
  /** Our tools take no argument from a header. */
  'needs a tool with x-mcp-header': /^Not testable: server exposes no tool with x-mcp-header annotations/,
  /** There are tools only: `server/discover` and `initialize` declare nothing else. */
  'needs prompts': /Method not found$/,
  'needs resources': /Method not found$|^Expected error code -32602 \(Invalid Params\), got -32601|^Error data\.uri/,
  'needs completion': /Method not found$/,
  'needs log messages': /Method not found$/,
  /** Each request stands alone, and each reply is plain JSON. */
  'needs sessions': /^Server did not provide session ID/,
} as const satisfies Record<string, RegExp>;

type Reason = keyof typeof reasons;

const scenarios: Readonly<Record<Reason, string>> = {
  'needs a tool of the suite': `
    server-stateless tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource
    tools-call-mixed-content tools-call-error tools-call-with-progress tools-call-sampling tools-call-elicitation
    elicitation-sep1034-defaults elicitation-sep1330-enums json-schema-2020-12
  `,
  'needs a tool with x-mcp-header': `
    http-custom-header-server-validation
  `,
  'needs a tool that asks the user': `
    input-required-result-basic-elicitation input-required-result-basic-sampling input-required-result-basic-list-roots
    input-required-result-request-state input-required-result-multiple-input-requests input-required-result-multi-round
    input-required-result-missing-input-response input-required-result-result-type input-required-result-tampered-state
    input-required-result-capability-check input-required-result-ignore-extra-params
  `,
  'needs prompts': `
    input-required-result-non-tool-request prompts-list prompts-get-simple prompts-get-with-args prompts-get-embedded-resource
    prompts-get-with-image
  `,
  'needs resources': `
    caching resources-list resources-read-text resources-read-binary resources-templates-read resources-subscribe
    resources-unsubscribe sep-2164-resource-not-found
  `,
  'needs completion': `
    completion-complete
  `,
  'needs log messages': `
    logging-set-level tools-call-with-logging
  `,
  'needs sessions': `
    server-sse-polling server-sse-multiple-streams
  `,
};

/** The reason of each scenario. Four checks of `server-stateless` call tools of the suite, and 24 apply; of `caching`, that of lists applies. */
const notServed: Readonly<Record<string, Reason>> = Object.fromEntries(
  Object.entries(scenarios).flatMap(([reason, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reason as Reason]),
  ),
);

/** The official conformance suite. It tries every scenario of both revisions, in one process for each revision. */
const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
/** The suite waits for some replies for less than a second, so what fails on a busy machine is tried again. */
const MAX_RUNS = 3;
const revisions = ['2025-11-25', '2026-07-28'] as const;
type Revision = (typeof revisions)[number];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly details?: { readonly message?: string };
}

/** The suite sends no API key, so a proxy in front of the service adds it. */
async function startProxy(findTarget: () => { url: string; key: string }) {
  return startHttp((request, reply) => {
    const { url, key } = findTarget();
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const passed = sendRequest(new URL(request.url ?? '/', url), { method: request.method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    request.pipe(passed);
  });
}

/** Runs all scenarios of a revision. The exit code is that of all scenarios, served or not, so it is not used. */
async function runSuite(url: string, revision: Revision): Promise<Map<string, readonly Check[]>> {
  const out = mkdtempSync(join(tmpdir(), 'firmament-conformance-'));
  const args = [
    'server',
    '--url',
    `${url}/mcp`,
    '--suite',
    'all',
    '--spec-version',
    revision,
    '--timeout',
    '300000',
    '-o',
    out,
  ];
  await new Promise((resolve) => execFile(process.execPath, [suite, ...args], { maxBuffer: 2 ** 26 }, resolve));
  const results = readdirSync(out).map((folder): [string, readonly Check[]] => [
    folder.replace(/^server-|-\d{4}-\d\d-\d\dT[\d-]+Z$/g, ''),
    JSON.parse(readFileSync(join(out, folder, 'checks.json'), 'utf8')),
  ]);
  rmSync(out, { recursive: true });
  return new Map(results);
}

describe('the official conformance suite', () => {
  let service: TestService;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  /** What failed in a run, so that a check that fails now and then is seen. */
  const retried: string[] = [];
  const results = new Map<Revision, Map<string, readonly Check[]>>();

  before(async () => {
    const target = { url: '', key: '' };
    proxy = await startProxy(() => target);
    // The suite sends the origin of the address that it was given.
    service = await startService('sqlite', { env: { PUBLIC_URL: proxy.url } });
    Object.assign(target, { url: service.url, key: await service.createKey() });
    await Promise.all(
      revisions.map(async (revision) => {
        for (let runs = 1; runs <= MAX_RUNS; runs++) {
          const scenarios = await runSuite(proxy.url, revision);
          results.set(revision, scenarios);
          const objections = listObjections(scenarios);
          if (objections.length === 0) break;
          retried.push(...objections.map((objection) => `${revision}, run ${runs}: ${objection}`));
        }
      }),
    );
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const PROVEN: Readonly<Record<Revision, readonly string[]>> = {
    '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
    '2026-07-28': [
      'server-stateless',
      'tools-list',
      'dns-rebinding-protection',
      'caching',
      'http-header-validation',
      'input-required-result-unsupported-methods',
      'input-required-result-validate-input',
    ],
  };

  for (const revision of revisions) {
    test(`${revision}: nothing that we serve fails`, (t) => {
      for (const objection of retried.filter((each) => each.startsWith(revision))) t.diagnostic(objection);
      const scenarios = results.get(revision) ?? new Map<string, readonly Check[]>();
      assert.ok(scenarios.size > 30, `only ${scenarios.size} scenarios were run`);
      assert.deepEqual(listObjections(scenarios), []);
      for (const scenario of PROVEN[revision]) {
        const passed = scenarios.get(scenario)?.filter(({ status }) => status === 'SUCCESS') ?? [];
        assert.ok(passed.length >= 2, `${scenario}: ${passed.length} checks passed`);
      }
    });

    test(`${revision}: each message that we sent fits the schema of the protocol`, () => {
      const checks = [...(results.get(revision) ?? [])].flatMap(([, all]) => all);
      const valid = checks.filter(({ id }) => id === 'wire-schema-valid');
      assert.ok(valid.length > 25);
      assert.ok(valid.every(({ status }) => status === 'SUCCESS'));
    });
  }

  test('each scenario that is not served is one of the suite, and does not pass', () => {
    for (const [scenario] of Object.entries(notServed)) {
      const checks = revisions.flatMap((revision) => results.get(revision)?.get(scenario) ?? []);
      assert.ok(
        checks.some(({ status }) => status === 'FAILURE' || status === 'WARNING'),
        `${scenario} passes or does not exist: remove it from the list`,
      );
    }
  });
});

/** What fails although we serve it. */
function listObjections(scenarios: ReadonlyMap<string, readonly Check[]> = new Map()): string[] {
  return [...scenarios].flatMap(([scenario, checks]) =>
    checks
      .filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
      .filter((check) => !isExplained(scenario, check))
      .map(({ id, errorMessage, details }) => `${scenario} ${id}: ${errorMessage ?? details?.message}`),
  );
}

function isExplained(scenario: string, { errorMessage, details }: Check): boolean {
  const reason: Reason | undefined = notServed[scenario];
  return reason !== undefined && reasons[reason].test(errorMessage ?? details?.message ?? '');
}
