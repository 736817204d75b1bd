/**
 * What the conformance suite tests and we do not serve. Scenarios of extensions (tasks, skills) belong to no revision and are not run.
 * A failed check of a listed scenario is accepted only with the message that belongs to the reason, so other failures in the same
 * scenario are still found.
 */
export const reasons = {
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

export type Reason = keyof typeof reasons;

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
export const notServed: Readonly<Record<string, Reason>> = Object.fromEntries(
  Object.entries(scenarios).flatMap(([reason, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reason as Reason]),
  ),
);
