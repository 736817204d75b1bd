import { PassThrough } from 'node:stream';
import { runBridge } from '../../clients/typescript/src/cli/bridge/bridge.ts';
import { until } from '../harness/until.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
type Reply = any;

/** A bridge in this process. */
export interface BridgeRun {
  send(...messages: unknown[]): void;
  /** Writes bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Waits for that many replies in total, and returns all so far. */
  replies(count: number): Promise<Reply[]>;
  readonly notes: readonly string[];
  /** Everything that was written, to both streams. */
  written(): string;
  readonly output: PassThrough;
  stop(): void;
  /** Ends the input and waits for the bridge. */
  end(): Promise<void>;
  readonly ended: Promise<void>;
}

export function startBridge(url: string, key: string): BridgeRun {
  const input = new PassThrough();
  const output = new PassThrough();
  const notes: string[] = [];
  const controller = new AbortController();
  let text = '';
  output.on('data', (chunk) => (text += chunk));
  const log = (note: string) => void notes.push(note);
  const ended = runBridge({ url, key, input, output, log, signal: controller.signal });
  const read = () => text.split('\n').slice(0, -1);
  return {
    send: (...messages) => void input.write(messages.map((message) => `${JSON.stringify(message)}\n`).join('')),
    write: (bytes) => void input.write(bytes),
    async replies(count) {
      await until(`there are ${count} replies`, () => read().length >= count);
      return read().map((line) => JSON.parse(line));
    },
    notes,
    written: () => text + notes.join('\n'),
    output,
    stop: () => controller.abort(),
    end() {
      input.end();
      return ended;
    },
    ended,
  };
}
