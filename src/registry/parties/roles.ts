/** Roles of parties that own or control a company. Parties with other roles manage, represent or check the company. */
export const OWNER_ROLES: ReadonlySet<string> = new Set([
  ...['parent', 'ultimate_parent', 'head_office', 'umbrella_fund', 'controller'],
  ...['shareholder', 'partner', 'founder', 'beneficial_owner', 'member'],
]);

export function isOwnerRole(role: string): boolean {
  return OWNER_ROLES.has(role);
}
