import { intern } from '../base/intern.ts';
import type { Json } from '../base/source-files.ts';
import { MAX_DEPTH, TOO_DEEP } from './limits.ts';

/** The tokens of XML: where tags end, what their parts are, how text is decoded. All readers of XML use them. */

/** The XML is not well-formed. */
export class XmlError extends Error {}

export const LESS = 0x3c;
const GREATER = 0x3e;
export const SLASH = 0x2f;
const BANG = 0x21;
const QUESTION = 0x3f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SPACE = 0x20;

/** Whether a comment, CDATA section, processing instruction or document type starts here, and not a tag. */
export function isSpecial(text: string, start: number): boolean {
  const code = text.charCodeAt(start + 1);
  return code === BANG || code === QUESTION;
}

/** The position after the tag or section that starts at this `<`, or -1 when its end is not in this text. */
export function findEnd(text: string, start: number): number {
  if (isSpecial(text, start)) return findSpecialEnd(text, start);
  return text.charCodeAt(start + 1) === SLASH ? text.indexOf('>', start) + 1 || -1 : findTagEnd(text, start);
}

/** A `>` in a quoted value does not end a tag. */
function findTagEnd(text: string, start: number): number {
  let quote = 0;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === GREATER) return at + 1;
    else if (code === QUOTE || code === APOSTROPHE) quote = code;
    else if (code === LESS) throw new XmlError('a "<" inside a tag');
  }
  return -1;
}

/** A document type is refused: we would ignore its definitions, and entities can expand to text of any length. */
function findSpecialEnd(text: string, start: number): number {
  if (text.length < start + 9) return -1;
  const close = text.startsWith('<!--', start)
    ? '-->'
    : text.startsWith('<![CDATA[', start)
      ? ']]>'
      : text.startsWith('<?', start)
        ? '?>'
        : null;
  if (close === null) throw new XmlError('it has a document type');
  const end = text.indexOf(close, start);
  return end === -1 ? -1 : end + close.length;
}

/** Where the tag name that starts at `start` ends. */
export function findNameEnd(text: string, start: number, end: number): number {
  let at = start;
  for (; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === SLASH) break;
  }
  return at;
}

/** The text of a CDATA section. Empty for comments and processing instructions. */
function findCdata(text: string, start: number, end: number): string {
  return text.startsWith('<![CDATA[', start) ? text.slice(start + 9, end - 3) : '';
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= SPACE;
}

export function stripPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Decodes entities and, as XML requires, reads a literal CR or CR LF as LF. */
function decodeEntities(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (!lines.includes('&')) return lines;
  return lines.replace(/&([^;&]*);?/g, (entity, name: string) => {
    const code = /^#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}))$/.exec(name);
    const number = code === null ? Number.NaN : Number.parseInt(code[1] ?? code[2] ?? '', code[1] ? 16 : 10);
    const character = number <= 0x10ffff ? String.fromCodePoint(number) : NAMED[name];
    if (character === undefined || !entity.endsWith(';')) throw new XmlError(`unknown entity ${entity.slice(0, 20)}`);
    return character;
  });
}

export interface TagVisitor {
  /** `tag` is the text after the name, for `findAttribute`. Returns whether to report the text up to the next tag. */
  open(name: string, tag: string): boolean;
  text(text: string): void;
  close(name: string): void;
}

/** Visits the tags of complete elements. Names are reported without prefix. */
export function scanTags(text: string, on: TagVisitor): void {
  let isWanted = false;
  for (let at = 0, start = text.indexOf('<'); start !== -1; start = text.indexOf('<', at)) {
    const end = findEnd(text, start);
    if (end === -1) throw new XmlError('it ends unexpectedly');
    if (isWanted && start > at) on.text(decodeEntities(text.slice(at, start)));
    at = end;
    if (isSpecial(text, start)) {
      if (isWanted) on.text(findCdata(text, start, end));
    } else if (text.charCodeAt(start + 1) === SLASH) {
      isWanted = false;
      on.close(stripPrefix(text.slice(start + 2, end - 1).trimEnd()));
    } else {
      const nameEnd = findNameEnd(text, start + 1, end - 1);
      const name = stripPrefix(text.slice(start + 1, nameEnd));
      const isClosed = text.charCodeAt(end - 2) === SLASH;
      isWanted = on.open(name, text.slice(nameEnd, isClosed ? end - 2 : end - 1)) && !isClosed;
      if (isClosed) on.close(name);
    }
  }
}

/** The value of an attribute, or undefined. `:id` matches `r:id` with any prefix. */
export function findAttribute(tag: string, name: string): string | undefined {
  for (let at = 0; ; ) {
    const equals = tag.indexOf('=', at);
    if (equals === -1) return undefined;
    let open = equals + 1;
    while (isSpace(tag, open)) open += 1;
    const close = tag.indexOf(tag.charAt(open), open + 1);
    if (close === -1) throw new XmlError('an attribute has no value');
    if (isNamed(tag, at, equals, name)) return decodeEntities(tag.slice(open + 1, close));
    at = close + 1;
  }
}

function isNamed(tag: string, from: number, to: number, name: string): boolean {
  if (to - from === name.length + 1) return tag.startsWith(name, from + 1);
  const written = tag.slice(from, to).trim();
  return written === name || (name.startsWith(':') && written.endsWith(name));
}

type Node = { [key: string]: Json };

interface Open {
  readonly known: KnownElement;
  /** Null until the element has an attribute or a child. */
  node: Node | null;
  text: string;
}

/**
 * The names of elements in earlier records, by the elements around them. The records of a file have the same elements in the same order, so the
 * next name is usually known before it is read: comparing it is several times as fast as finding its end, cutting it out and looking it up as a key.
 */
interface KnownElement {
  readonly name: string;
  /** In the order in which they were first found. */
  readonly children: KnownElement[];
  /** Where the search for the next child starts: at the previous one, because lists repeat it. */
  next: number;
}

const records: KnownElement = { name: '', children: [], next: 0 };
/** Real files have less than a hundred names. A crafted file could have millions. */
const MAX_NAMES = 1_000;
const learned = { count: 0 };

/** The known child whose name is at `at`, directly before a `>`. */
function findKnown({ children, next }: KnownElement, text: string, at: number): number {
  for (let tried = 0, index = next; tried < children.length; tried++, index++) {
    if (index === children.length) index = 0;
    if (isTag(text, at, (children[index] as KnownElement).name)) return index;
  }
  return -1;
}

/** Whether the name is at `at`, directly before a `>`. A slice is compared in a quarter of the time of `startsWith`. */
function isTag(text: string, at: number, name: string): boolean {
  const end = at + name.length;
  return text.charCodeAt(end) === GREATER && text.slice(at, end) === name;
}

/** The child with this name, which is known from now on. */
function learn({ children }: KnownElement, name: string): KnownElement {
  const known = children.find((child) => child.name === name);
  if (known !== undefined) return known;
  const child = { name: intern(name), children: [], next: 0 };
  if (learned.count++ < MAX_NAMES) children.push(child);
  return child;
}

function openElement(known: KnownElement, node: Node | null): Open {
  known.next = 0;
  return { known, node, text: '' };
}

/**
 * Parses one element into a nested object. Attributes become `@name`; an element without attributes and children
 * becomes its text, the text of other elements `#text`; repeated children become an array. Keys keep their prefixes.
 */
export function parseElement(text: string): Json {
  const path: Open[] = [];
  let open: Open | undefined;
  let at = 0;
  for (;;) {
    const start = text.indexOf('<', at);
    if (start === -1) throw new XmlError('it ends unexpectedly');
    if (open !== undefined && start > at) open.text += decodeEntities(text.slice(at, start));
    const isStart = text.charCodeAt(start + 1) !== SLASH;
    if (open !== undefined && isStart && path.length < MAX_DEPTH - 1) {
      const index = findKnown(open.known, text, start + 1);
      const child = open.known.children[index];
      if (child !== undefined) {
        open.known.next = index;
        at = start + 2 + child.name.length;
        const next = text.indexOf('<', at);
        if (text.charCodeAt(next + 1) === SLASH && isTag(text, next + 2, child.name)) {
          addChild(open, child.name, decodeEntities(text.slice(at, next)));
          at = next + 3 + child.name.length;
        } else {
          path.push(open);
          open = openElement(child, null);
        }
        continue;
      }
    }
    const isOwnEnd = open !== undefined && !isStart && isTag(text, start + 2, open.known.name);
    const end = isOwnEnd ? text.indexOf('>', start) + 1 : findEnd(text, start);
    if (end === -1) throw new XmlError('it ends unexpectedly');
    at = end;
    if (isSpecial(text, start)) {
      if (open !== undefined) open.text += findCdata(text, start, end);
      continue;
    }
    if (isStart && path.length >= MAX_DEPTH - 1) throw new XmlError(TOO_DEEP);
    const isEmpty = text.charCodeAt(end - 2) === SLASH;
    if (isStart) {
      if (open !== undefined) path.push(open);
      const nameEnd = findNameEnd(text, start + 1, end - 1);
      const tagEnd = end - (isEmpty ? 2 : 1);
      const node = nameEnd < tagEnd ? parseAttributes(text.slice(nameEnd, tagEnd)) : null;
      open = openElement(learn(open?.known ?? records, text.slice(start + 1, nameEnd)), node);
      if (!isEmpty) continue;
    } else if (open === undefined || (!isOwnEnd && text.slice(start + 2, end - 1).trimEnd() !== open.known.name)) {
      throw new XmlError(`the end tag ${text.slice(start + 2, end - 1)} has no start tag`);
    }
    const value = finish(open);
    const parent = path.pop();
    if (parent === undefined) return value;
    addChild(parent, open.known.name, value);
    open = parent;
  }
}

/** White space between children is formatting, not content. */
function finish({ node, text }: Open): Json {
  if (node === null) return text;
  if (text.trim() !== '') node['#text'] = text;
  return node;
}

function addChild(parent: Open, name: string, value: Json): void {
  parent.node ??= {};
  const { node } = parent;
  const present = node[name];
  if (present === undefined) node[name] = value;
  else if (!Object.hasOwn(node, name)) addInherited(node, name, value);
  else if (Array.isArray(present)) present.push(value);
  else node[name] = [present, value];
}

/** Adds a value with a name like `constructor` or `__proto__`, for which an assignment may not create a key. */
function addInherited(node: Node, name: string, value: Json): void {
  Object.defineProperty(node, name, { value, enumerable: true, writable: true });
}

/** `tag` is the text after the name. Returns null when the text is only white space. */
function parseAttributes(tag: string): Node | null {
  let node: Node | null = null;
  for (let at = 0; ; ) {
    while (isSpace(tag, at)) at += 1;
    if (at >= tag.length) return node;
    const equals = tag.indexOf('=', at);
    let quote = equals + 1;
    while (isSpace(tag, quote)) quote += 1;
    const close = equals === -1 ? -1 : tag.indexOf(tag.charAt(quote), quote + 1);
    const isQuoted = tag[quote] === '"' || tag[quote] === "'";
    if (close === -1 || !isQuoted) throw new XmlError('an attribute has no value');
    const value = tag.slice(quote + 1, close);
    node ??= {};
    // XML reads line ends and tabs in an attribute value as spaces, unless they are written as entities.
    node[`@${tag.slice(at, equals).trimEnd()}`] = decodeEntities(
      /[\t\n\r]/.test(value) ? value.replace(/\r\n|[\t\n\r]/g, ' ') : value,
    );
    at = close + 1;
  }
}
