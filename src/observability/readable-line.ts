import { styleText } from 'node:util';
import { printable } from '../terminal/printable.ts';

type Fields = Readonly<Record<string, unknown>>;

const LEVELS: Readonly<Record<number, readonly [string, Parameters<typeof styleText>[0]]>> = {
  10: ['trace', 'gray'],
  20: ['debug', 'gray'],
  30: ['info', 'green'],
  40: ['warning', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/** Fields of every line, and ids that are of use only in a search through the log. */
const HIDDEN = new Set(['level', 'time', 'msg', 'err', 'requestId', 'accountId', 'keyId']);

/** A line of the log for people who watch a terminal: time, level, text, other fields. Colours follow `NO_COLOR`. */
export function renderReadable(line: string, stream: NodeJS.WritableStream): string {
  const fields = JSON.parse(line) as Fields;
  const [level, colour] = LEVELS[Number(fields.level)] ?? ['', 'reset'];
  const paint = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  const time = new Date(Number(fields.time)).toTimeString().slice(0, 8);
  const start = `${paint('dim', time)} ${paint(colour, level.padEnd(7))}`;
  return `${start} ${fields.msg === 'request' ? describeRequest(fields) : describeEvent(fields)}\n`;
}

function describeRequest({ method, route, status, durationMs, aborted, reason }: Fields): string {
  const end = [aborted === true ? 'aborted' : undefined, reason].filter((part) => part !== undefined).join(', ');
  return printable(`${status} ${method} ${route} ${durationMs} ms ${end}`).trimEnd();
}

function describeEvent({ msg, err, ...fields }: Fields): string {
  const shown = Object.entries(fields).filter(([name]) => !HIDDEN.has(name));
  const rest = shown.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(shown))}`;
  const { message, stack } = (err ?? {}) as Fields;
  const cause = String(stack ?? message ?? '');
  const text = printable(`${msg}${rest}`);
  return cause === '' ? text : [text, ...cause.split('\n').map((part) => `    ${printable(part)}`)].join('\n');
}
