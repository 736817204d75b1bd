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

export const notServed: Readonly<Record<string, Reason>> = {
  // Four of its checks call tools of the suite; 24 others apply.
  'server-stateless': 'needs a tool of the suite',
  'tools-call-simple-text': 'needs a tool of the suite',
  'tools-call-image': 'needs a tool of the suite',
  'tools-call-audio': 'needs a tool of the suite',
  'tools-call-embedded-resource': 'needs a tool of the suite',
  'tools-call-mixed-content': 'needs a tool of the suite',
  'tools-call-error': 'needs a tool of the suite',
  'tools-call-with-progress': 'needs a tool of the suite',
  'tools-call-sampling': 'needs a tool of the suite',
  'tools-call-elicitation': 'needs a tool of the suite',
  'elicitation-sep1034-defaults': 'needs a tool of the suite',
  'elicitation-sep1330-enums': 'needs a tool of the suite',
  'json-schema-2020-12': 'needs a tool of the suite',
  'http-custom-header-server-validation': 'needs a tool with x-mcp-header',
  'input-required-result-basic-elicitation': 'needs a tool that asks the user',
  'input-required-result-basic-sampling': 'needs a tool that asks the user',
  'input-required-result-basic-list-roots': 'needs a tool that asks the user',
  'input-required-result-request-state': 'needs a tool that asks the user',
  'input-required-result-multiple-input-requests': 'needs a tool that asks the user',
  'input-required-result-multi-round': 'needs a tool that asks the user',
  'input-required-result-missing-input-response': 'needs a tool that asks the user',
  'input-required-result-result-type': 'needs a tool that asks the user',
  'input-required-result-tampered-state': 'needs a tool that asks the user',
  'input-required-result-capability-check': 'needs a tool that asks the user',
  'input-required-result-ignore-extra-params': 'needs a tool that asks the user',
  'input-required-result-non-tool-request': 'needs prompts',
  'prompts-list': 'needs prompts',
  'prompts-get-simple': 'needs prompts',
  'prompts-get-with-args': 'needs prompts',
  'prompts-get-embedded-resource': 'needs prompts',
  'prompts-get-with-image': 'needs prompts',
  // The caching of tools/list and server/discover applies.
  caching: 'needs resources',
  'resources-list': 'needs resources',
  'resources-read-text': 'needs resources',
  'resources-read-binary': 'needs resources',
  'resources-templates-read': 'needs resources',
  'resources-subscribe': 'needs resources',
  'resources-unsubscribe': 'needs resources',
  'sep-2164-resource-not-found': 'needs resources',
  'completion-complete': 'needs completion',
  'logging-set-level': 'needs log messages',
  'tools-call-with-logging': 'needs log messages',
  'server-sse-polling': 'needs sessions',
  'server-sse-multiple-streams': 'needs sessions',
};
