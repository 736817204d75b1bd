import { GROUPS } from './library.ts';

/** What a language model needs to use the service, as Markdown in the form that llmstxt.org describes. */
export function writeLlmsText(publicUrl: string): string {
  const link = (title: string, address: string, note = '') =>
    `- [${title}](${publicUrl}${address})${note && `: ${note}`}`;
  const guides = GROUPS.flatMap(({ title, entries }) => [
    `\n## ${title}\n`,
    ...entries.map((entry) => link(entry.title, entry.address)),
  ]);
  return `${[
    '# Firmament\n',
    '> Official company registers as one JSON API: exact search, complete records, and the file and row that each record comes from.\n',
    `The API is at ${publicUrl}/api/v1. Data requests need an API key in the header \`X-API-Key\`. Search with \`GET /api/v1/entities?q=…\`, ` +
      'then retrieve a record with `GET /api/v1/entities/{id}`. Errors are JSON with a `code` and a link to its description.\n',
    '## API\n',
    link('OpenAPI contract', '/api/v1/openapi.json', 'OpenAPI 3.1, with all operations, parameters and errors'),
    link('Plans', '/api/v1/plans', 'limits and prices as JSON, without a key'),
    link('MCP', '/mcp', 'Model Context Protocol for assistants (POST), with the API key as bearer token'),
    ...guides,
  ].join('\n')}\n`;
}
