/** What the operator of this server publishes about it. Each link is shown if it is set. */
export interface Operator {
  readonly termsUrl: string | undefined;
  readonly privacyUrl: string | undefined;
  readonly contactEmail: string | undefined;
}
