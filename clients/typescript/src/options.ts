export interface ClientOptions {
  /** Address of the service, such as `https://api.example.com`. */
  readonly url: string | URL;
  /** API key, for data. It never appears in errors, logs or `inspect`. */
  readonly key?: string | undefined;
  /** Session token, for account, keys and billing. It is protected like the key. */
  readonly session?: string | undefined;
  /** Milliseconds that a call may take with all its retries. @default 120000 */
  readonly deadline?: number | undefined;
  /** Milliseconds that one attempt may take. @default 30000 */
  readonly timeout?: number | undefined;
  /** How often a call is tried. 1 means no retries. @default 5 */
  readonly attempts?: number | undefined;
  /** Milliseconds before the first retry if the reply does not say how long to wait. They double with every retry. @default 500 */
  readonly backoff?: number | undefined;
  /** Number of replies that are kept to be revalidated, which costs no quota if they are current. 0 turns it off. @default 100 */
  readonly cache?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface CallOptions extends Pick<ClientOptions, 'deadline' | 'timeout' | 'attempts'> {
  /** Ends the call. It fails with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Further request headers, such as `Range` or `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export const CLIENT_OPTIONS = 'url key session deadline timeout attempts backoff cache fetch';
export const CALL_OPTIONS = 'deadline timeout attempts signal headers isUncached repeatsRefused';

/** Throws for a misspelt option, which would have no effect. The options of a list start with different letters. */
export function checkOptions(given: object, known: string): void {
  const names = known.split(' ');
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const meant = names.find((one) => one[0] === name[0]) ?? names.join(', ');
    throw new TypeError(`There is no option "${name}": did you mean "${meant}"?`);
  }
}
