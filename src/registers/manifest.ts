/**
 * The manifest of a register, `manifest.json` in its folder: what the register is, who publishes it, and how to find and judge its files. Facts
 * that other parts of the program need about all registers are there too, so that a new register is a folder and a line of `list.ts`.
 *
 * In a manifest, a text between slashes is a regular expression: `"/^CZ(\\d{8})$/"`.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rhythm } from '../base/freshness.ts';
import type { FetchPlan } from './fetch-plan.ts';

export interface CountryName {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
}

export interface Manifest {
  /** Null for a register that spans countries: each record has its own country. */
  readonly country: CountryName | null;
  readonly name: string;
  readonly nativeName: string;
  readonly publisher: string;
  /** With the licence `Unknown`, `firmament export` needs `--include-unknown-licences`. */
  readonly licence: string;
  /** Who to name where the data is shown, as the licence asks. */
  readonly attribution: string;
  /** The page where a person finds the official file. */
  readonly sourceUrl: string;
  /** The address of the state's page about a company, with `{number}`, or with `{digits}` for the number without separators. */
  readonly companyPage?: string;
  readonly updates: Rhythm;
  /** How to find and judge the newest official files. */
  readonly fetch: FetchPlan;
  /** File names as published, for help and error messages. */
  readonly files: readonly string[];
  /** A complete file has at least this many rows. A smaller one may be a sample or a part. */
  readonly minimumRows: number;
  /** The columns and keys that hold the registration number. Rejected rows are identified by this number. */
  readonly numberColumns: readonly string[];
  /**
   * Matches the letters beyond ASCII of the languages that names are written in. Such letters show which encoding a file has. Left out
   * if names have few such letters.
   */
  readonly letters?: RegExp;
  /** Set if the id of a company follows from the first characters of its number: how many. Parties refer to companies by these characters. */
  readonly keyLength?: number;
  /**
   * Set if the country's VAT numbers contain the national number, whether or not the register publishes them: matches a
   * VAT number in upper case without separators, and its first group is the number without separators. Search then finds
   * a company by its VAT number.
   */
  readonly vatNumber?: RegExp;
  /** Fields of `registry` that only explain codes, by the name of the field with the code. Pages show their texts instead. */
  readonly legends?: Readonly<Record<string, string>>;
  /** Beneficial owners inside records of companies are a set of their own in `PARTIES`: `ua/beneficial_owners=off`. */
  readonly ownersApart?: true;
  /** Whether the register's records link to records of other registers (`link`). */
  readonly links?: boolean;
  /** GLEIF's codes of the authorities that use the numbers of the register. They link an LEI record to the record of the same company. */
  readonly lei?: { readonly authorities: readonly string[]; readonly note?: string };
  /** How the editions of a scheme of activities relate to ISIC; '' if the files do not state an edition. */
  readonly schemes?: Readonly<Record<string, Readonly<Record<string, Relation>>>>;
  /** By scheme and code: why a code of the scheme has no ISIC code, although it looks like one that has. */
  readonly unclassified?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Whether the forms in `legal-forms.tsv` are codes. Otherwise the forms are names. */
  readonly formsByCode?: true;
  /** What the register publishes, without the functions, which are in `register.ts`. The first source that a file matches is used. */
  readonly sources: readonly { readonly name: string; readonly [fact: string]: unknown }[];
}

export type NaceEdition = '2' | '2.1';

/**
 * Codes of a scheme begin with the digits of an edition of NACE, or with a `division` of ISIC. `either`: the files do not state whether a code
 * is of the national version of NACE 2 or of NACE 2.1, so a code is used as far as both editions agree.
 */
export type Relation = NaceEdition | 'either' | 'division';

const REGULAR_EXPRESSION = /^\/(.+)\/([a-z]*)$/s;

/** The manifests by the id of their register. */
export const manifests: ReadonlyMap<string, Manifest> = new Map(
  globSync('*/manifest.json', { cwd: import.meta.dirname })
    .sort()
    .map((file) => [
      dirname(file),
      JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'), (_key, value) => {
        const [, source, flags] = (typeof value === 'string' && REGULAR_EXPRESSION.exec(value)) || [];
        return source === undefined ? value : new RegExp(source, flags);
      }) as Manifest,
    ]),
);
