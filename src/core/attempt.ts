/** What came of it, where a failure is not to end things yet. */
export function attempt<T>(work: () => T): { readonly value: T } | { readonly error: unknown } {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}
