/** A reply that can be revalidated by its tag. */
interface KeptReply {
  readonly tag: string;
  readonly text: string;
  readonly version: string | null;
}

export interface ReplyCache {
  find(url: string): KeptReply | undefined;
  keep(url: string, reply: KeptReply): void;
}

/** Longer replies are not kept, which bounds the memory: a record can have megabytes. */
const MAX_LENGTH = 100_000;

/** Keeps the replies that were used last, as text: callers may change what they get. */
export function createReplyCache(size: number): ReplyCache {
  const kept = new Map<string, KeptReply>();
  const put = (url: string, reply: KeptReply) => {
    kept.delete(url);
    kept.set(url, reply);
    for (const oldest of kept.keys()) {
      if (kept.size <= size) break;
      kept.delete(oldest);
    }
  };
  return {
    find(url) {
      const found = kept.get(url);
      if (found) put(url, found);
      return found;
    },
    keep(url, reply) {
      if (reply.text.length <= MAX_LENGTH) put(url, reply);
    },
  };
}
