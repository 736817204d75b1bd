import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * The storage of the demo's identity provider for pending sign-ins: in memory, with a limit. After a restart users have
 * to enter their address again; tokens stay valid, because the keys are stored in a file.
 */
const MAX_ENTRIES = 5_000;

export function createProviderMemory(elapsed = () => performance.now()): (model: string) => Adapter {
  const entries = new Map<string, { payload: AdapterPayload; until: number }>();

  function find(matches: (key: string, payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    const now = elapsed();
    for (const [key, { payload, until }] of entries) if (until > now && matches(key, payload)) return payload;
    return undefined;
  }

  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const get = (id: string) => find((key) => key === keyOf(id));
    return {
      async upsert(id, payload, expiresIn) {
        entries.delete(keyOf(id));
        entries.set(keyOf(id), { payload, until: elapsed() + (expiresIn ?? 3_600) * 1_000 });
        const [oldest] = entries.keys();
        if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
      },
      find: async (id) => get(id),
      findByUid: async (uid) => find((key, payload) => key.startsWith(`${model}:`) && payload.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = get(id);
        if (payload !== undefined) payload.consumed = Math.floor(elapsed() / 1_000) + 1;
      },
      async destroy(id) {
        entries.delete(keyOf(id));
      },
      async revokeByGrantId(grantId) {
        for (const [key, { payload }] of entries) if (payload.grantId === grantId) entries.delete(key);
      },
    };
  };
}
