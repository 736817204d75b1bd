import { styleText } from 'node:util';

interface BannerFacts {
  readonly version: string;
  readonly url: string;
  readonly metricsUrl: string;
  /** The file that has the log; undefined if it is printed. */
  readonly logFile: string | undefined;
  /** The key of the demo; undefined without one. */
  readonly apiKey: string | undefined;
  /** Whether the store has companies. */
  readonly isEmpty: boolean;
}

/** What is printed when the service is ready. */
export function renderBanner(facts: BannerFacts, stream: NodeJS.WritableStream): string {
  const paint = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const { version, url, apiKey } = facts;
  const lines = listAddresses(facts).map(([name, value]) => `    ${paint('dim', name.padEnd(9))} ${value}`);
  const hint = apiKey === undefined ? describeEmpty(facts) : describeTrial(url, apiKey);
  return `\n  ${paint('bold', `Firmament ${version} is ready.`)}\n\n${lines.join('\n')}\n\n${hint}  Press Ctrl+C to stop.\n\n`;
}

function listAddresses({ url, metricsUrl, logFile, apiKey }: BannerFacts): (readonly [string, string])[] {
  return [
    ['Open', url],
    ['API', `${url}/api/v1`],
    ['Docs', `${url}/docs`],
    ...(apiKey === undefined ? [] : [['Sign in', `${url}/auth/login`] as const]),
    ['Metrics', metricsUrl],
    ...(logFile === undefined ? [] : [['Log', `${logFile} (--log shows it here)`] as const]),
  ];
}

function describeTrial(url: string, apiKey: string): string {
  const search = `${url}/api/v1/entities?q=holdings&pageSize=3`;
  return `  Try it:\n\n    curl -H 'X-API-Key: ${apiKey}' '${search}'\n\n`;
}

function describeEmpty({ isEmpty }: BannerFacts): string {
  if (!isEmpty) return '';
  return '  The store is empty. Fill it with a register, for example: firmament update lv\n\n';
}
