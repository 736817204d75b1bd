/** The types of the inner modules that `provider.ts` imports; the published types cover the main module only. */
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import type { interactionPolicy } from 'oidc-provider';

  export const base: typeof interactionPolicy.base;
  export const Check: typeof interactionPolicy.Check;
}
