import type { EntityStatus } from '../base/entity-status.ts';
import type { Json } from '../base/source-files.ts';
import type { Link } from './mapped-party.ts';
import type { ActivityOf, LegalFormOf, RegistryOf } from './vocabulary.ts';
import type { registrationTypes } from './vocabulary-values.ts';

type RegistrationType = keyof typeof registrationTypes;

/** A number that an authority has given the entity. Dates are `YYYY-MM-DD`. */
export interface Registration {
  readonly authority: string;
  readonly type: RegistrationType;
  readonly number: string;
  /** Whether its check digits are right. Left out if the number has none. */
  readonly numberValid?: boolean;
  /** The status in words, as the source writes it. */
  readonly status: string | null;
  /** The status as a code of the source, if it has one. */
  readonly statusCode?: string;
  readonly registeredAt: string | null;
  readonly endedAt: string | null;
}

/** A number that a user or another source wrote, as a number of one register. */
export interface CheckedNumber {
  /** What the number is called, such as `SIREN`. */
  readonly kind: string;
  /** The number as the register writes it. */
  readonly number: string;
  /** Whether its check digits are right; null if numbers of this kind have none. */
  readonly valid: boolean | null;
}

/** The details of a registration of which the source has only the number. */
export const NO_DETAILS = { status: null, registeredAt: null, endedAt: null } as const;

/** An activity as `registry.activities` shows it: `unlicensed`, unless the register marks licensed ones (MD). */
export interface Activity extends Omit<ActivityOf, 'code' | 'label' | 'scheme'> {
  readonly code: string | null;
  readonly label: string | null;
  readonly scheme: string;
  /** The value exactly as the source writes it, if it is neither the code nor the label. A search finds this value, too. */
  readonly written?: string;
  /** The labels in the other languages of the register. A search finds these labels, too, but only labels in `national` are shown. */
  readonly otherLabels?: readonly string[];
  /** Further fields that `registry.activities` shows, such as the register in which the activity was declared. */
  readonly national?: { readonly [name: string]: Json };
}

/**
 * What a register may not know: a status, legal form or activity that its tables lack, or a date for which the source
 * writes a placeholder. `listedStatus`: the publisher's own code list has the status, but its meaning is not known.
 */
export type UnknownKind = 'status' | 'listedStatus' | 'legalForm' | 'activity' | 'date';

export interface MappedRecord {
  /** National registration number as written, with leading zeros; null when the row has none. */
  readonly number: string | null;
  /** ISO 3166-1 alpha-2. Only for registers that span countries; the others omit it. */
  readonly country?: string;
  readonly canonicalName: string;
  readonly status: EntityStatus;
  /** The pipeline shows the label, or else the code, as `legalForm`, and all of it in `registry.legalForm`. */
  readonly legalForm: LegalFormOf | null;
  readonly registeredAt: string | null;
  readonly registrations: readonly Registration[];
  /** The activities that the pipeline shows in `registry.activities`. */
  readonly activities: readonly Activity[];
  /** The same company in another register: a search for a number of this record finds that record, too. */
  readonly link?: Link;
  /** The fields of `vocabulary.ts`, and national ones in camelCase (`docs/registers/<cc>.md`). No field is empty. */
  readonly registry: RegistryOf;
}

/** The reason why a row is not a record, for example a missing name. Rejections are counted and reported. */
export interface Rejection {
  readonly rejected: string;
  /** Set if the register documents this kind of row: such rows are counted, but a file may have any number of such rows. */
  readonly expected?: true;
}
