/** The operations that users can try on a page, with the parameters that its form has. */
const TRIALS: Readonly<Record<string, readonly string[]>> = {
  searchEntities: ['q', 'country', 'status', 'page', 'pageSize'],
  getEntity: ['id'],
};

export function isTriable(operationId: string): boolean {
  return Object.hasOwn(TRIALS, operationId);
}

export function listTrialParameters(operationId: string): readonly string[] {
  return TRIALS[operationId] ?? [];
}

export function tryAddress(operationId: string): string {
  return `/docs/try/${operationId}`;
}
