import { findSuccess, type Operation, type Parameter } from './contract.ts';

/** Operations that users can try on a page: those that read JSON with an API key only. Those for sessions have pages of their own. */
export function isTriable(operation: Operation): boolean {
  const [type] = Object.keys(findSuccess(operation).response.content ?? {});
  const takes = (name: string) => operation.security.some((scheme) => name in scheme);
  return operation.method === 'get' && takes('apiKey') && !takes('session') && type === 'application/json';
}

/** Whether a browser can open the operation itself: it needs no credentials and no parameters. */
export function isOpenable({ method, security, parameters = [] }: Operation): boolean {
  return method === 'get' && parameters.length === 0 && security.length === 0;
}

/** The parameters that the form has. */
export function listTrialParameters({ parameters = [] }: Operation): readonly Parameter[] {
  return parameters.filter((parameter) => parameter.in !== 'header');
}

export function tryAddress(operationId: string): string {
  return `/docs/try/${operationId}`;
}

/** The request with these values. */
export function trialPath({ path, parameters = [] }: Operation, values: Readonly<Record<string, string>>): string {
  const inQuery = parameters.filter(({ in: place, name }) => place === 'query' && values[name] !== undefined);
  const query = new URLSearchParams(inQuery.map(({ name }) => [name, values[name] ?? ''])).toString();
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? '')) + (query && `?${query}`);
}
