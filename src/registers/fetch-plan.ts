/**
 * How to find and judge the newest official files of a register: plain data, one kind per way in which publishers offer
 * files. `import/fetch/` does the work. An operator can replace the addresses without changing code (FETCH_SOURCES).
 */
export type FetchPlan = DownloadPlan | ManualPlan;

export type DownloadPlan = (FixedFiles | DatedFiles | LinkedFiles | CkanFiles | NamedByApi) & {
  /**
   * Bytes of all files together, as downloaded. A download outside of these bounds is not the register. `minWithoutParties` is the
   * minimum if files of parties are left out.
   */
  readonly size: { readonly min: number; readonly max: number; readonly minWithoutParties?: number };
  /** Where the addresses were read, for the day on which an address no longer works. None of the addresses has been tried. */
  readonly readIn: string;
  /** What is unusual about the files. */
  readonly note?: string;
};

/** The day on which the addresses were read. */
export const ADDRESSES_READ_AT = '2026-11-16';

/** A file that is left out if the parties in it are switched off. */
interface PartyFile {
  /** The set of parties that the file has. Undefined for a file of companies. */
  readonly parties?: string;
}

/** The addresses never change. `name` is the name to store a file under; default: the last part of the address. */
interface FixedFiles {
  readonly kind: 'fixed';
  readonly files: readonly (PartyFile & { readonly url: string; readonly name?: string })[];
}

/** The addresses contain the month: `{year}` and `{month}`. The newest month that has the first file is used. */
interface DatedFiles {
  readonly kind: 'dated';
  readonly files: readonly string[];
  /** How many months to look back, including the current one. */
  readonly months: number;
}

/** Files that pages link to, the newest of each page. */
interface LinkedFiles {
  readonly kind: 'page';
  readonly pages: readonly LinkedFile[];
}

export interface LinkedFile extends PartyFile {
  readonly page: string;
  /**
   * Matches the complete address. The groups `year`, `month` and `day` give the order. With the groups `part` and `of`, the file is
   * published in `of` parts, and all parts are used.
   */
  readonly link: RegExp;
}

/** A portal with the API of CKAN, whose address ends with `/action`. */
interface CkanFiles {
  readonly kind: 'ckan';
  readonly api: string;
  /** By id or name, or by a search for the newest of several packages whose names have a date. */
  readonly packages: readonly {
    readonly package: string | { readonly query: string; readonly name: RegExp };
    readonly resources: readonly CkanResource[];
  }[];
}

export interface CkanResource {
  /** Matched with the name and with the address of a resource. With date groups the newest match is used. */
  readonly match: RegExp;
  /** The register can be imported without this resource. */
  readonly optional?: true;
}

/** An API whose JSON responses contain the addresses of the files: `keys` are the keys and indexes that lead to an address. */
interface NamedByApi {
  readonly kind: 'api';
  /** The address is valid for a short time: it is requested just before the download, and neither stored nor shown. */
  readonly temporary?: true;
  readonly requests: readonly { readonly url: string; readonly name?: string }[];
  readonly paths: readonly (PartyFile & { readonly keys: readonly (string | number)[] })[];
}

/** An account or a licence that a person has to accept is needed, so that nothing is downloaded automatically. */
interface ManualPlan {
  readonly kind: 'manual';
  /** What a person has to do, one sentence per step. */
  readonly steps: readonly string[];
}
