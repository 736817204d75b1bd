/** The path of the reconciliation service, below the public address. */
export const RECONCILE_PATH = '/api/v1/reconcile';

export function linkAddress(publicUrl: string, secret: string): string {
  return `${publicUrl}${RECONCILE_PATH}/l/${secret}`;
}
