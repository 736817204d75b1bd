import { describeVersion } from '../../core/version.ts';
import type { ChangedDetail } from '../details.ts';
import { writeCursor } from './cursor.ts';
import type { StoredChange } from './store.ts';

export const changeTypes = ['added', 'changed', 'delisted', 'relisted', 'loaded'] as const;
type ChangeType = (typeof changeTypes)[number];

/** A change as clients see it. */
export interface Change {
  readonly cursor: string;
  readonly type: ChangeType;
  readonly occurredAt: string;
  readonly entityId: string | null;
  readonly countryCode: string;
  readonly register: string;
  readonly fields: readonly string[];
  readonly before: ChangedValues | null;
  readonly after: ChangedValues | null;
  /** What changed in other fields. Null if it is not known, or nothing did. */
  readonly details: readonly ChangedDetail[] | null;
}

/** The normalized fields before or after a change. */
export interface ChangedValues {
  readonly canonicalName: string;
  readonly status: string;
  readonly legalForm: string | null;
  readonly registeredAt: string | null;
}

/** The changes of one import. */
export function toChanges(stored: readonly StoredChange[], generation: number, publishedAt: number): Change[] {
  const version = describeVersion(generation, publishedAt);
  const occurredAt = new Date(publishedAt).toISOString();
  return stored.map((change) => ({
    cursor: writeCursor({ version, seen: change.position + 1 }),
    type: change.type as ChangeType,
    occurredAt,
    entityId: change.entityId,
    countryCode: change.countryCode,
    register: change.register,
    fields: readFields(change.fields),
    before: toValues(change.nameBefore, change.statusBefore, change.legalFormBefore, change.registeredBefore),
    after: toValues(change.nameAfter, change.statusAfter, change.legalFormAfter, change.registeredAfter),
    details: change.details === null ? null : JSON.parse(change.details),
  }));
}

/** A change that is passed on as it is: parsing its details and writing them again takes longer than reading them. */
export interface ChangeText
  extends Pick<Change, 'cursor' | 'type' | 'entityId' | 'countryCode' | 'register' | 'fields'> {
  readonly generation: number;
  /** How many changes of the import there are up to this one. */
  readonly place: number;
  readDetails(): Change['details'];
  /** The JSON of the change, as one of this type. */
  write(type: string): string;
}

/** The same as `toChanges`, as texts. */
export function toTexts(stored: readonly StoredChange[], generation: number, publishedAt: number): ChangeText[] {
  const version = describeVersion(generation, publishedAt);
  const occurredAt = new Date(publishedAt).toISOString();
  return stored.map((change) => new StoredText(change, generation, version, occurredAt));
}

/** A class, because an import can have millions of changes, and closures for each of them would cost more than comparing it. */
class StoredText implements ChangeText {
  readonly #change: StoredChange;
  readonly generation: number;
  readonly #version: string;
  readonly #occurredAt: string;

  constructor(change: StoredChange, generation: number, version: string, occurredAt: string) {
    this.#change = change;
    this.generation = generation;
    this.#version = version;
    this.#occurredAt = occurredAt;
  }

  get type(): ChangeType {
    return this.#change.type as ChangeType;
  }

  get entityId(): string | null {
    return this.#change.entityId;
  }

  get countryCode(): string {
    return this.#change.countryCode;
  }

  get register(): string {
    return this.#change.register;
  }

  get place(): number {
    return this.#change.position + 1;
  }

  get cursor(): string {
    return writeCursor({ version: this.#version, seen: this.place });
  }

  get fields(): readonly string[] {
    return readFields(this.#change.fields);
  }

  readDetails(): Change['details'] {
    return this.#change.details === null ? null : JSON.parse(this.#change.details);
  }

  /** Written in parts: one object for all of it takes three times as long. */
  write(type: string): string {
    const change = this.#change;
    const { nameBefore, statusBefore, legalFormBefore, registeredBefore } = change;
    const { nameAfter, statusAfter, legalFormAfter, registeredAfter } = change;
    const start = `{"cursor":"${this.cursor}","type":"${type}","occurredAt":"${this.#occurredAt}"`;
    const entity = `"entityId":${quote(change.entityId)},"countryCode":${quote(change.countryCode)},"register":${quote(change.register)}`;
    const before = writeValues(nameBefore, statusBefore, legalFormBefore, registeredBefore);
    const after = writeValues(nameAfter, statusAfter, legalFormAfter, registeredAfter);
    return `${start},${entity},"fields":${change.fields},"before":${before},"after":${after},"details":${change.details}}`;
  }
}

function quote(text: string | null): string {
  return JSON.stringify(text);
}

/** The JSON of `toValues`. */
function writeValues(...[name, status, legalForm, registeredAt]: Parameters<typeof toValues>): string {
  if (name === null || status === null) return 'null';
  const state = `{"canonicalName":${quote(name)},"status":${quote(status)}`;
  return `${state},"legalForm":${quote(legalForm)},"registeredAt":${quote(registeredAt)}}`;
}

/** Most changes of an import have the same few lists. */
const knownFields = new Map<string, readonly string[]>();
const MAX_KNOWN_FIELDS = 1_000;

function readFields(text: string): readonly string[] {
  const known = knownFields.get(text);
  if (known !== undefined) return known;
  const fields: readonly string[] = Object.freeze(JSON.parse(text));
  if (knownFields.size >= MAX_KNOWN_FIELDS) knownFields.clear();
  knownFields.set(text, fields);
  return fields;
}

/** Null if there was no entity: every entity has a name and a status. */
function toValues(
  canonicalName: string | null,
  status: string | null,
  legalForm: string | null,
  registeredAt: string | null,
): ChangedValues | null {
  return canonicalName === null || status === null ? null : { canonicalName, status, legalForm, registeredAt };
}
