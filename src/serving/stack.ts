import { type Debugger, type InspectorNotification, type NodeWorker, Session } from 'node:inspector';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Reads where a stuck thread is, through Node's inspector, which can interrupt a running loop. Without this, the log could only
 * say that a thread was stuck. No port is opened. Returns undefined if the thread cannot be interrupted, for example because it
 * is in native code. Must be called in the thread that started the other one.
 */
export function readStackOfThread(name: string, maxMs: number): Promise<string | undefined> {
  return readStack(maxMs, (session, onMessage) => {
    let sessionId: string | undefined;
    session.on('NodeWorker.attachedToWorker', ({ params }: Notification<NodeWorker.AttachedToWorkerEventDataType>) => {
      if (!params.workerInfo.title.endsWith(` ${name}`)) return;
      sessionId = params.sessionId;
      send('Debugger.enable');
      send('Debugger.pause');
    });
    session.on(
      'NodeWorker.receivedMessageFromWorker',
      ({ params }: Notification<NodeWorker.ReceivedMessageFromWorkerEventDataType>) => {
        if (params.sessionId === sessionId) onMessage(JSON.parse(params.message));
      },
    );
    let lastId = 0;
    const send = (method: string) => {
      if (sessionId === undefined) return;
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id: ++lastId, method }) });
    };
    session.connect();
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return () => {
      // A thread that stays paused cannot be terminated.
      send('Debugger.disable');
      session.disconnect();
    };
  });
}

/** The same for the main thread. Must be called in another thread, and leaves the main thread paused: call it only before killing
 *  the process. */
export function readStackOfMainThread(maxMs: number): Promise<string | undefined> {
  return readStack(maxMs, (session, onMessage) => {
    session.on('inspectorNotification', (message) => onMessage(message as Message));
    session.connectToMainThread();
    // Without a callback, the messages are not sent.
    session.post('Debugger.enable', () => undefined);
    session.post('Debugger.pause', () => undefined);
    return () => undefined;
  });
}

type Notification<T> = InspectorNotification<T>;
type Message = { readonly method?: string; readonly params?: unknown };

/** `attach` pauses the thread, passes its messages on, and returns a function that lets it continue. */
async function readStack(
  maxMs: number,
  attach: (session: Session, onMessage: (message: Message) => void) => () => void,
): Promise<string | undefined> {
  const session = new Session();
  const files = new Map<string, string>();
  const paused = Promise.withResolvers<string>();
  const resume = attach(session, ({ method, params }) => {
    if (method === 'Debugger.scriptParsed') {
      const { scriptId, url } = params as Debugger.ScriptParsedEventDataType;
      files.set(scriptId, url);
    }
    if (method === 'Debugger.paused') {
      const { callFrames } = params as Debugger.PausedEventDataType;
      paused.resolve(callFrames.map((frame) => describeFrame(frame, files)).join('\n'));
    }
  });
  // The timer also keeps this thread alive: the inspector alone does not.
  const stack = await Promise.race([paused.promise, sleep(maxMs, undefined)]);
  resume();
  return stack;
}

function describeFrame({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const place = `${files.get(scriptId) || 'unknown'}:${lineNumber + 1}:${columnNumber + 1}`;
  return `    at ${functionName || '<anonymous>'} (${place})`;
}
