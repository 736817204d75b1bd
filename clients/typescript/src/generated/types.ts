// Generated from openapi.json by `npm run generate:client`. Do not edit.

/** A country that has companies here, or is planned. */
export interface Country {
  /** Two-letter country code (ISO 3166-1 alpha-2). */
  code: string;
  /** English name. */
  name: string;
  /** Name in the language of the country. */
  nativeName: string;
  /** Whether there is at least one company of this country. */
  enabled: boolean;
  /**
   * How current the data is by the publishing rhythm of the register: `due` one period after the day that the data
   * describes, `overdue` after two. `null` if there is no official data or the rhythm is unknown.
   */
  freshness: "fresh" | "due" | "overdue" | null;
  /**
   * The day that the data describes, according to its publisher. Of several registers, the oldest day. `null` if
   * unknown.
   */
  asOf: string | null;
}

export interface CountryList {
  data: Array<Country>;
  meta: {
    count: number;
  };
}

/** The body of every error response. */
export interface ErrorResponse {
  error: {
    /** Machine-readable error code. Use it to decide how to handle the error. */
    code: string;
    /** Human-readable explanation, for logs. Its wording may change. */
    message: string;
    /** Id of the request. Include it when you contact support. */
    requestId: string;
    /** Page that explains this error code. */
    docs: string;
    /** Of `idempotency_key_reused` only: the `id` of what the first request has made. */
    resourceId?: string | undefined;
  };
}

/** A company in search results. */
export interface EntitySummary {
  /** Unique identifier of the company. It is the same after every import and on every installation. */
  id: string;
  /** Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2). */
  countryCode: string;
  /** Identifier of the register that the record comes from. */
  register: string | null;
  /** Number of the first registration, exactly as published. `null` if the record has none. */
  registrationNumber: string | null;
  /** Name for search and display. */
  canonicalName: string;
  /**
   * Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure), `inactive`
   * (suspended, stopped or not registered at present; the source does not say that the company has ended),
   * `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership, restructuring or
   * another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into another company or
   * deregistered for another reason), `delisted` (missing from the latest complete file of its register; the record is
   * kept), `unknown` (the source has no status, or one whose meaning is not known). New values may be added.
   */
  status: string;
  /** National legal form, in the words of the register. */
  legalForm: string | null;
  /** City of the registered address, as the source writes it. */
  city: string | null;
  /** Date of registration. */
  registeredAt: string | null;
  /** Time of the import that last changed the record. */
  updatedAt: string;
  /**
   * Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
   * `null` if the register does not say it.
   */
  jurisdiction: string | null;
  /**
   * ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division, group or
   * class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none is.
   */
  isic: string | null;
  /**
   * Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
   * /api/v1/classifications/elf` has the names. `null` if none is certain.
   */
  elf: string | null;
  /**
   * Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any, are not
   * offered to the public), `public_company` (company with shares that may be offered to the public: PLC, SA, AG, SE),
   * `partnership` (partnership, also with limited partners or limited liability), `sole_trader` (business of a natural
   * person or a family), `branch` (branch, representation or other part of an entity, often of a foreign one),
   * `association` (association, trade union, party, chamber or community of owners), `foundation` (foundation or fund
   * with a purpose and without members), `cooperative` (cooperative, also of housing, banking or farming),
   * `public_body` (state, municipality, public institution or enterprise of its own law), `other` (any other form,
   * such as a mutual insurer, an investment fund, a church or an economic interest grouping). New values may be added.
   */
  legalFormClass: string | null;
  /**
   * Only in results of a search with `words`: the former or other name, as registered, with a word that the current
   * name and the registration numbers lack. Null if they have all words.
   */
  matchedName?: string | null | undefined;
}

/** One page of search results. */
export interface EntityPage {
  data: Array<EntitySummary>;
  meta: {
    /** The requested page; 9007199254740991 for every larger one. */
    page: number;
    /** The requested page size. */
    pageSize: number;
    /** Number of pages. */
    pageCount: number;
    /** Exact number of matching companies. */
    total: number;
  };
}

/** A number that an authority has assigned to the company. */
export interface Registration {
  /** Authority that issued the number. */
  authority: string;
  /**
   * Kind of number: `national` (number in the national company register), `tax` (tax number), `vat` (VAT number),
   * `lei` (Legal Entity Identifier (ISO 17442)), `euid` (European Unique Identifier), `statistical` (number of a
   * statistical office), `state` (number given by a state or province of the country), `branch` (number of an
   * establishment), `association` (number in a register of associations), `foreign` (number in the register of another
   * country), `other` (any other number). New kinds may be added.
   */
  type: string;
  /** The number exactly as published, including leading zeros. */
  number: string;
  /** Whether the check digits are correct. Missing if they are not checked. */
  numberValid?: boolean | undefined;
  /** Status in the words of the source. */
  status: string | null;
  /** Status as a code of the source. Missing if the source has no code. */
  statusCode?: string | undefined;
  /** First day of the registration. */
  registeredAt: string | null;
  /** Last day of the registration. */
  endedAt: string | null;
}

/** Another record that is related to this one. */
export interface RelatedEntity {
  /** Unique identifier of the company. It is the same after every import and on every installation. */
  id: string;
  /** Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2). */
  countryCode: string;
  /** Identifier of the register that the record comes from. */
  register: string | null;
  /** Number of the first registration, exactly as published. `null` if the record has none. */
  registrationNumber: string | null;
  /** Name for search and display. */
  canonicalName: string;
  /**
   * Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure), `inactive`
   * (suspended, stopped or not registered at present; the source does not say that the company has ended),
   * `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership, restructuring or
   * another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into another company or
   * deregistered for another reason), `delisted` (missing from the latest complete file of its register; the record is
   * kept), `unknown` (the source has no status, or one whose meaning is not known). New values may be added.
   */
  status: string;
  /** National legal form, in the words of the register. */
  legalForm: string | null;
  /** City of the registered address, as the source writes it. */
  city: string | null;
  /** Date of registration. */
  registeredAt: string | null;
  /** Time of the import that last changed the record. */
  updatedAt: string;
  /**
   * Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
   * `null` if the register does not say it.
   */
  jurisdiction: string | null;
  /**
   * ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division, group or
   * class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none is.
   */
  isic: string | null;
  /**
   * Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
   * /api/v1/classifications/elf` has the names. `null` if none is certain.
   */
  elf: string | null;
  /**
   * Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any, are not
   * offered to the public), `public_company` (company with shares that may be offered to the public: PLC, SA, AG, SE),
   * `partnership` (partnership, also with limited partners or limited liability), `sole_trader` (business of a natural
   * person or a family), `branch` (branch, representation or other part of an entity, often of a foreign one),
   * `association` (association, trade union, party, chamber or community of owners), `foundation` (foundation or fund
   * with a purpose and without members), `cooperative` (cooperative, also of housing, banking or farming),
   * `public_body` (state, municipality, public institution or enterprise of its own law), `other` (any other form,
   * such as a mutual insurer, an investment fund, a church or an economic interest grouping). New values may be added.
   */
  legalFormClass: string | null;
  /** How the two records are related: `same_company` (the same company in another register). New values may be added. */
  relation: string | null;
}

/** Consecutive rows of a file. */
export interface RowRange {
  /** First row. */
  first: number;
  /** Last row; the same as `first` for a single row. */
  last: number;
}

/** A file, or a part of one, that the record was read from. */
export interface ProvenanceFile {
  /** Name of the imported file. */
  file: string;
  /** SHA-256 hash of the file: `sha256:` followed by hexadecimal digits. */
  hash: string;
  /** The address that the file was downloaded from. Null if a person downloaded it. */
  url: string | null;
  /** Name of the archive entry or sheet. Null if the file is neither an archive nor a workbook. */
  entry: string | null;
  /** Name of the table in the register. */
  table: string;
  /** The rows that the record was read from. Empty for a code table, which all records share. */
  rows: Array<RowRange>;
}

/** The files that the current content of the record comes from. `file`, `hash` and `row` name the main one. */
export interface Provenance {
  /** Identifier of the register in this API. */
  register: string;
  /** Publisher of the register. */
  publisher: string;
  /** Name of the imported file. */
  file: string;
  /** SHA-256 hash of the file: `sha256:` followed by hexadecimal digits. */
  hash: string;
  /** Position of the record in the file. */
  row: number;
  /** Publisher’s date of the data, from the file or its name. Null if neither has a date. */
  asOf: string | null;
  /** Time of the import. */
  importedAt: string;
  /**
   * The address that the main file was downloaded from, or the page where the publisher offers it if a person
   * downloaded it.
   */
  sourceUrl: string;
  /** Licence under which the publisher offers the data. */
  licence: string;
  /** Whether the company is invented: the file is generated sample data. */
  synthetic: boolean | null;
  /**
   * All files that the record was read from: the main one first, then those with further rows of the company, then
   * code tables.
   */
  files: Array<ProvenanceFile> | null;
}

/** The full record of a company. */
export interface EntityDetail {
  /** Unique identifier of the company. It is the same after every import and on every installation. */
  id: string;
  /** Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2). */
  countryCode: string;
  /** Identifier of the register that the record comes from. */
  register: string | null;
  /** Number of the first registration, exactly as published. `null` if the record has none. */
  registrationNumber: string | null;
  /** Name for search and display. */
  canonicalName: string;
  /**
   * Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure), `inactive`
   * (suspended, stopped or not registered at present; the source does not say that the company has ended),
   * `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership, restructuring or
   * another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into another company or
   * deregistered for another reason), `delisted` (missing from the latest complete file of its register; the record is
   * kept), `unknown` (the source has no status, or one whose meaning is not known). New values may be added.
   */
  status: string;
  /** National legal form, in the words of the register. */
  legalForm: string | null;
  /** City of the registered address, as the source writes it. */
  city: string | null;
  /** Date of registration. */
  registeredAt: string | null;
  /** Time of the import that last changed the record. */
  updatedAt: string;
  /**
   * Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
   * `null` if the register does not say it.
   */
  jurisdiction: string | null;
  /**
   * ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division, group or
   * class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none is.
   */
  isic: string | null;
  /**
   * Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
   * /api/v1/classifications/elf` has the names. `null` if none is certain.
   */
  elf: string | null;
  /**
   * Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any, are not
   * offered to the public), `public_company` (company with shares that may be offered to the public: PLC, SA, AG, SE),
   * `partnership` (partnership, also with limited partners or limited liability), `sole_trader` (business of a natural
   * person or a family), `branch` (branch, representation or other part of an entity, often of a foreign one),
   * `association` (association, trade union, party, chamber or community of owners), `foundation` (foundation or fund
   * with a purpose and without members), `cooperative` (cooperative, also of housing, banking or farming),
   * `public_body` (state, municipality, public institution or enterprise of its own law), `other` (any other form,
   * such as a mutual insurer, an investment fund, a church or an economic interest grouping). New values may be added.
   */
  legalFormClass: string | null;
  /** Fields that mean the same in every register, and national fields that the page of the register documents. */
  registry: {
    /** National legal form. It has a code, a label or both. */
    legalForm?: {
      /** Code of the source. */
      code?: string | undefined;
      /** Name of the form, as users of the register know it. */
      label?: string | undefined;
      /** The label by language (ISO 639-1). */
      labels?: {
        [name: string]: string;
      } | undefined;
      /** Code list that the code belongs to. */
      scheme?: string | undefined;
      /** The form in the list of entity legal forms (ELF, ISO 20275), if its code there is certain. */
      elf?: {
        /** Code in the list. */
        code?: string | undefined;
        /** Name of the form in its country. */
        name?: string | undefined;
        /** Where it comes from. One of `register` (from the national legal form), `lei` (from the LEI record). */
        source?: "register" | "lei" | undefined;
        /**
         * How it was found. One of `exact` (the list has the same name or abbreviation, or the LEI record has the
         * code), `checked` (found by meaning and confirmed by LEI records of the same companies).
         */
        trust?: "exact" | "checked" | undefined;
        [name: string]: unknown;
      } | undefined;
      /** The form that the LEI record of the same company has, if it is another one. */
      leiElf?: {
        /** Code in the list. */
        code?: string | undefined;
        /** Name of the form in its country. */
        name?: string | undefined;
        /** Where it comes from. One of `register` (from the national legal form), `lei` (from the LEI record). */
        source?: "register" | "lei" | undefined;
        /**
         * How it was found. One of `exact` (the list has the same name or abbreviation, or the LEI record has the
         * code), `checked` (found by meaning and confirmed by LEI records of the same companies).
         */
        trust?: "exact" | "checked" | undefined;
        [name: string]: unknown;
      } | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Every activity that the search parameter `activity` finds. */
    activities?: Array<{
      /**
       * The collection it belongs to, as in the search parameter `activityType`. One of `unlicensed` (needs no
       * licence, or the register does not say), `licensed` (needs a licence).
       */
      type: "unlicensed" | "licensed";
      /** Code in the classification. */
      code?: string | undefined;
      /** Name of the activity in the words of the source. */
      label?: string | undefined;
      /** Classification, such as `UK SIC` or `NACE-BEL`. */
      scheme?: string | undefined;
      /** Edition of the classification, such as `2007`. */
      edition?: string | undefined;
      /** Whether the source calls it the main activity. */
      main?: boolean | undefined;
      /** Code of ISIC Rev. 4, as deep as official tables are exact. The search parameter `isic` finds it. */
      isic?: {
        /** Section, a letter. */
        section: string;
        /** Division. */
        division?: string | undefined;
        /** Group. */
        group?: string | undefined;
        /** Class. */
        class?: string | undefined;
        /** English title of the deepest code. */
        label: string;
        /**
         * The level of the deepest code. One of `section` (a letter), `division` (two digits), `group` (three digits),
         * `class` (four digits).
         */
        level: "section" | "division" | "group" | "class";
        /** Edition of ISIC. */
        edition: string;
      } | undefined;
      /** Why there is no `isic`, such as a code that means that the company is dormant. */
      isicNote?: string | undefined;
      /** Code of NACE, if the classification is a national version of it. */
      nace?: {
        /** Section, a letter. */
        section: string;
        /** Division. */
        division?: string | undefined;
        /** Group. */
        group?: string | undefined;
        /** Class. */
        class?: string | undefined;
        /** English title of the deepest code. */
        label: string;
        /**
         * The level of the deepest code. One of `section` (a letter), `division` (two digits), `group` (three digits),
         * `class` (four digits).
         */
        level: "section" | "division" | "group" | "class";
        /** Edition of NACE: `2` or `2.1`. */
        edition: string;
      } | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** The registered address. */
    address?: {
      /** The complete address in one line, as a person would write it. */
      text: string;
      /** The lines of the address as the source writes them, if it has lines instead of parts. */
      lines?: Array<string> | undefined;
      /** Person or company that receives the mail. */
      careOf?: string | undefined;
      /** Post office box. */
      poBox?: string | undefined;
      /** Name or number of a building, block or estate. */
      building?: string | undefined;
      /** Street without the house number, if the source separates the two. */
      street?: string | undefined;
      /** House number. */
      number?: string | undefined;
      /** Apartment, office, floor or other part of a building. */
      unit?: string | undefined;
      /** Part of a city or of a municipality, such as a parish. */
      district?: string | undefined;
      /** Post code. */
      postCode?: string | undefined;
      /** City, town or village. */
      city?: string | undefined;
      /** Municipality or administrative district that the city, town or village belongs to. */
      municipality?: string | undefined;
      /** County, province, state or another area above the city. */
      region?: string | undefined;
      /** Country in the words of the source. */
      country?: string | undefined;
      /** Two-letter country code (ISO 3166-1 alpha-2). */
      countryCode?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Further addresses. */
    addresses?: Array<{
      /**
       * What the address is for. One of `postal` (mail), `headquarters` (place of management), `establishment` (place
       * of business), `branch` (branch of a foreign company), `foreign` (address of a foreign company in its home
       * country), `former` (no longer in use), `other` (any other).
       */
      type: "postal" | "headquarters" | "establishment" | "branch" | "foreign" | "former" | "other";
      /** The complete address in one line, as a person would write it. */
      text: string;
      /** The lines of the address as the source writes them, if it has lines instead of parts. */
      lines?: Array<string> | undefined;
      /** Person or company that receives the mail. */
      careOf?: string | undefined;
      /** Post office box. */
      poBox?: string | undefined;
      /** Name or number of a building, block or estate. */
      building?: string | undefined;
      /** Street without the house number, if the source separates the two. */
      street?: string | undefined;
      /** House number. */
      number?: string | undefined;
      /** Apartment, office, floor or other part of a building. */
      unit?: string | undefined;
      /** Part of a city or of a municipality, such as a parish. */
      district?: string | undefined;
      /** Post code. */
      postCode?: string | undefined;
      /** City, town or village. */
      city?: string | undefined;
      /** Municipality or administrative district that the city, town or village belongs to. */
      municipality?: string | undefined;
      /** County, province, state or another area above the city. */
      region?: string | undefined;
      /** Country in the words of the source. */
      country?: string | undefined;
      /** Two-letter country code (ISO 3166-1 alpha-2). */
      countryCode?: string | undefined;
      /** First day. */
      from?: string | undefined;
      /** Last day. */
      until?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** The status in the words of the source. */
    status?: {
      /** Code of the source. */
      code?: string | undefined;
      /** Text of the source. */
      label?: string | undefined;
      /** First day of this status. */
      since?: string | undefined;
      /** Reason for the status. */
      reason?: string | undefined;
      /** Code of the reason. */
      reasonCode?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    /** What the status was inferred from, such as a column or a role, if the source does not state it. */
    statusInferredFrom?: string | undefined;
    /**
     * Under whose law the company was formed: a state or province (ISO 3166-2, `US-NY`) or a country (ISO 3166-1
     * alpha-2). The search parameter `jurisdiction` finds it.
     */
    jurisdiction?: string | undefined;
    /** Day on which the company was founded. */
    foundedAt?: string | undefined;
    /** Day on which the company ceased to exist. */
    endedAt?: string | undefined;
    /** Former names, the latest first if the source has an order. */
    previousNames?: Array<{
      /** The name. */
      name: string;
      /** First day. */
      from?: string | undefined;
      /** Last day. */
      until?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** Further names. */
    otherNames?: Array<{
      /** The name. */
      name: string;
      /**
       * What kind of name it is. One of `trading` (brand or trade name), `short` (abbreviation or short name),
       * `translation` (in another language), `transliteration` (in another script), `branch` (of a branch), `other`
       * (any other).
       */
      type?: "trading" | "short" | "translation" | "transliteration" | "branch" | "other" | undefined;
      /** Language of the name (ISO 639-1). */
      language?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** The source has no name; `canonicalName` is the number. */
    nameMissing?: true | undefined;
    /** Capital of the company. */
    capital?: {
      /** Amount in units of the currency. */
      amount?: number | undefined;
      /** Currency code (ISO 4217). */
      currency?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Number of employees: an exact count, or a range. */
    employees?: {
      /** Exact number. */
      count?: number | undefined;
      /** Smallest number of the range. */
      from?: number | undefined;
      /** Largest number of the range. Missing if the range is open. */
      to?: number | undefined;
      /** Code of the range in the source. */
      code?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    /** How to reach the company. */
    contacts?: {
      /** Websites. */
      websites?: Array<string> | undefined;
      /** Email addresses. */
      emails?: Array<string> | undefined;
      /** Phone numbers. */
      phones?: Array<string> | undefined;
      /** Fax numbers. */
      faxes?: Array<string> | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Directors, owners and others that the register publishes. */
    parties?: Array<{
      /**
       * Normalized role. One of `director` (manages the company: director, board member, manager, administrator),
       * `representative` (may sign for the company), `founder` (founded it), `shareholder` (owns shares), `partner`
       * (partner of a partnership, or member of a company without shares), `beneficial_owner` (ultimately owns or
       * controls it), `controller` (a company or body that owns or controls it), `liquidator` (winds it up),
       * `insolvency_administrator` (administers it in an insolvency procedure), `auditor` (audits it), `parent`
       * (parent company of its group), `ultimate_parent` (company at the top of its group), `head_office` (company
       * whose branch it is), `fund_manager` (manages the fund), `umbrella_fund` (fund that it is a part of),
       * `master_fund` (fund that it invests in), `member` (belongs to it: association, cooperative), `other` (any
       * other; `roleLabel` says which).
       */
      role: "director" | "representative" | "founder" | "shareholder" | "partner" | "beneficial_owner" | "controller" | "liquidator" | "insolvency_administrator" | "auditor" | "parent" | "ultimate_parent" | "head_office" | "fund_manager" | "umbrella_fund" | "master_fund" | "member" | "other";
      /** Name as published. */
      name: string;
      /** Role in the words of the source. */
      roleLabel?: string | undefined;
      /**
       * Kind of party. Left out if the source does not say. One of `person` (a natural person), `organisation`
       * (anything else).
       */
      kind?: "person" | "organisation" | undefined;
      /** Number of the party, if it is an organisation. */
      number?: string | undefined;
      /** Share of the capital or of the votes, in percent. */
      share?: number | undefined;
      /** First day in the role. */
      from?: string | undefined;
      /** Last day in the role. */
      until?: string | undefined;
      /** Country in the words of the source. */
      country?: string | undefined;
      /** Two-letter country code (ISO 3166-1 alpha-2). */
      countryCode?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** Branches and places of business. */
    establishments?: Array<{
      /** Its number. */
      number?: string | undefined;
      /** Its name. */
      name?: string | undefined;
      /** Its address. */
      address?: {
        /** The complete address in one line, as a person would write it. */
        text: string;
        /** The lines of the address as the source writes them, if it has lines instead of parts. */
        lines?: Array<string> | undefined;
        /** Person or company that receives the mail. */
        careOf?: string | undefined;
        /** Post office box. */
        poBox?: string | undefined;
        /** Name or number of a building, block or estate. */
        building?: string | undefined;
        /** Street without the house number, if the source separates the two. */
        street?: string | undefined;
        /** House number. */
        number?: string | undefined;
        /** Apartment, office, floor or other part of a building. */
        unit?: string | undefined;
        /** Part of a city or of a municipality, such as a parish. */
        district?: string | undefined;
        /** Post code. */
        postCode?: string | undefined;
        /** City, town or village. */
        city?: string | undefined;
        /** Municipality or administrative district that the city, town or village belongs to. */
        municipality?: string | undefined;
        /** County, province, state or another area above the city. */
        region?: string | undefined;
        /** Country in the words of the source. */
        country?: string | undefined;
        /** Two-letter country code (ISO 3166-1 alpha-2). */
        countryCode?: string | undefined;
        [name: string]: unknown;
      } | undefined;
      /** First day. */
      from?: string | undefined;
      /** Last day. */
      until?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** Companies that this one continues. */
    predecessors?: Array<{
      /** Its name. */
      name?: string | undefined;
      /** Its number. */
      number?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** Companies that continue this one. */
    successors?: Array<{
      /** Its name. */
      name?: string | undefined;
      /** Its number. */
      number?: string | undefined;
      [name: string]: unknown;
    }> | undefined;
    /** Purpose of the company in its own words. */
    purpose?: string | undefined;
    /** Institutional sector of the company. */
    sector?: {
      /** Code of the source. */
      code?: string | undefined;
      /** Text of the code. */
      label?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    /** Size class of the company. */
    size?: {
      /** Code of the source. */
      code?: string | undefined;
      /** Text of the code. */
      label?: string | undefined;
      [name: string]: unknown;
    } | undefined;
    [name: string]: unknown;
  };
  /**
   * Every field of the source, with its name and value exactly as published. Values about natural persons that are not
   * stored say `withheld` and the reason.
   */
  sourceData: {
    [name: string]: unknown;
  };
  registrations: Array<Registration>;
  /** The same company in other registers, such as its LEI record. Empty if no other record is known. */
  related: Array<RelatedEntity> | null;
  /**
   * How many parties in force `/parties` names. Natural persons count only if they are named there. `null` if no files
   * of parties of this register are imported, or if they are switched off.
   */
  partyCounts: {
    /** Owners, parents and others who control the company. */
    owners: number;
    /** Officers, managers, auditors and others. */
    others: number;
  } | null;
  provenance: Provenance | null;
}

export interface EntityReply {
  data: EntityDetail;
}

/** What a party holds of a company. */
export interface Interest {
  /**
   * Kind: `consolidation` (includes the company in its consolidated accounts: control, or more than half of it),
   * `shares` (shares or capital), `votes` (voting rights), `board` (right to appoint or remove directors or members),
   * `surplus_assets` (share of what is left when it is wound up), `influence` (significant influence or control in
   * another way), `nominee` (it holds property as a nominee for the party), `other` (any other). New values may be
   * added.
   */
  type: string;
  /** In percent. `null` if it is not published. */
  share: {
    /** The share, if it is published exactly. */
    exact?: number | undefined;
    /** The smallest share of a range. */
    min?: number | undefined;
    /** The largest share of a range. */
    max?: number | undefined;
  } | null;
  /**
   * How it is held. `null` if in its own right, or if it is not published: `firm_member` (as a member of a firm),
   * `firm_control` (through influence over a firm), `trustee` (as a trustee of a trust), `trust_control` (through
   * influence over a trust or its trustees), `other_entity` (through another entity that it owns). New values may be
   * added.
   */
  heldAs: string | null;
}

/** A person or organisation connected with a company. */
export interface Party {
  /**
   * Role: `director` (manages the company: director, board member, manager, administrator), `representative` (may sign
   * for the company), `founder` (founded it), `shareholder` (owns shares), `partner` (partner of a partnership, or
   * member of a company without shares), `beneficial_owner` (ultimately owns or controls it), `controller` (a company
   * or body that owns or controls it), `liquidator` (winds it up), `insolvency_administrator` (administers it in an
   * insolvency procedure), `auditor` (audits it), `parent` (parent company of its group), `ultimate_parent` (company
   * at the top of its group), `head_office` (company whose branch it is), `fund_manager` (manages the fund),
   * `umbrella_fund` (fund that it is a part of), `master_fund` (fund that it invests in), `member` (belongs to it:
   * association, cooperative), `other` (any other; `roleLabel` says which). New values may be added.
   */
  role: string;
  /** The role as the source writes it. */
  roleText: string;
  /**
   * Kind: `person` (a natural person), `organisation` (anything else), `unknown` (the source does not say). New values
   * may be added.
   */
  kind: string;
  /** Name, from the source, or else from the record of the party. `null` if neither has one. */
  name: string | null;
  /** The record of the party, found by register and number. `null` if there is none here. */
  entityId: string | null;
  /** Number of the party, as the source writes it. */
  number: string | null;
  /** Country of the party (ISO 3166-1 alpha-2). */
  countryCode: string | null;
  /** Empty if the source says nothing about shares or control. */
  interests: Array<Interest>;
  /** First day. `null` if it is not published. */
  from: string | null;
  /** Last day. `null` if it is not published or has not come. */
  until: string | null;
  /** Whether it is in force, according to the source. */
  current: boolean;
  /** Set if the source says that there is no such party, or that it is not named. */
  absence: {
    /**
     * Reason: `no_parent` (nobody controls or consolidates the company), `persons` (natural persons control it, who
     * are not named), `no_number` (the party has no number in this register), `not_disclosed` (the company does not
     * disclose it), `not_identified` (the company has not identified the party, or not confirmed its details),
     * `no_answer` (the party was asked and has not answered), `exempt` (the company need not say it, for example
     * because its shares are traded on a market), `protected` (the party is protected: the register publishes nothing
     * about it), `statement` (no owner is missing from the list; `text` is a statement of the company about the owners
     * that it has). New values may be added.
     */
    reason: string;
    /** The reason as the source writes it. */
    text: string;
  } | null;
  /** The row that says so. */
  source: {
    /** Name of the file. */
    file: string;
    /** SHA-256 hash of the file: `sha256:` followed by hexadecimal digits. */
    hash: string;
    /** Row of the file, starting at 1. */
    row: number;
  };
  /** Every field of the row, exactly as published. Fields that are not stored say `withheld` and the reason. */
  sourceData: unknown;
}

/** The parties of a company. */
export interface PartyList {
  data: Array<Party>;
  meta: {
    /** Exact number of parties, also if the list is shorter. */
    total: number;
    /** How many persons are left out of the data at their request. */
    withheld: number | null;
    /** Whether the list was cut after 1000 parties. */
    truncated: boolean;
    /** Identifier of the register that the record comes from. */
    register: string;
    /**
     * Whether the answer says something about this company: `available` (the files of parties of this register are
     * imported), `off` (the operator of this service has switched them off), `not_imported` (the register publishes
     * them, but they are not imported here), `not_published` (the register publishes none that can be imported). New
     * values may be added.
     */
    coverage: string;
  };
}

/** A company of a group. */
export interface OwnershipNode {
  /** Its number in this answer. The company that was asked for is 0. */
  node: number;
  /** How many links lead to it from the company that was asked for, at least. */
  depth: number;
  /** Identifier of the register that the record comes from. */
  register: string;
  /** Its number in the register. */
  number: string | null;
  /** Its record. `null` if it is not here. */
  entityId: string | null;
  /** Its name. `null` if its record is not here. */
  name: string | null;
  /** Its jurisdiction (ISO 3166-1 alpha-2). */
  countryCode: string | null;
  /** Its normalized status, as in its record. */
  status: string | null;
  /** Why the chain ends here. `null` if it goes on, and at companies without holdings. */
  end: {
    /**
     * Reason: `person` (natural persons own or control it), `no_number` (the owner has no number in this register, or
     * the company itself has none), `no_parent` (nobody controls or consolidates it), `not_disclosed` (the company
     * does not disclose its owner), `not_identified` (the company has not identified its owner, or not confirmed the
     * details), `no_answer` (the owner was asked and has not answered), `exempt` (the company need not name its
     * owner), `protected` (the owner is protected: the register publishes nothing about it), `not_found` (the company
     * is not in the store, and its files say nothing about it), `not_in_files` (the files name no owner who may be
     * shown), `persons_not_kept` (the files name no organisation as owner, and natural persons, who may own it, are
     * not kept here), `depth` (the chain may go on: ask for a greater depth), `limit` (the chain may go on: the answer
     * has as many companies or links as possible). New values may be added.
     */
    reason: string;
    /** The reason as the source writes it. */
    text: string | null;
  } | null;
}

/** One company owns or controls another. */
export interface OwnershipLink {
  /** `node` of the company that is owned. */
  company: number;
  /** `node` of the company that owns it. */
  party: number;
  /**
   * Role: `director` (manages the company: director, board member, manager, administrator), `representative` (may sign
   * for the company), `founder` (founded it), `shareholder` (owns shares), `partner` (partner of a partnership, or
   * member of a company without shares), `beneficial_owner` (ultimately owns or controls it), `controller` (a company
   * or body that owns or controls it), `liquidator` (winds it up), `insolvency_administrator` (administers it in an
   * insolvency procedure), `auditor` (audits it), `parent` (parent company of its group), `ultimate_parent` (company
   * at the top of its group), `head_office` (company whose branch it is), `fund_manager` (manages the fund),
   * `umbrella_fund` (fund that it is a part of), `master_fund` (fund that it invests in), `member` (belongs to it:
   * association, cooperative), `other` (any other; `roleLabel` says which). New values may be added.
   */
  role: string;
  /** The role as the source writes it. */
  roleText: string;
  /** Empty if the source says nothing about shares or control. */
  interests: Array<Interest>;
  /** First day. `null` if it is not published. */
  from: string | null;
  /** Last day. `null` if it is not published or has not come. */
  until: string | null;
  /** Whether the link is part of a cycle: both companies own each other, directly or through others. */
  inCycle: boolean;
  /** The row that says so. */
  source: {
    /** Name of the file. */
    file: string;
    /** SHA-256 hash of the file: `sha256:` followed by hexadecimal digits. */
    hash: string;
    /** Row of the file, starting at 1. */
    row: number;
  };
}

/** Companies and the links between them. */
export interface OwnershipReply {
  data: {
    /** Each company once, the nearest ones first. */
    nodes: Array<OwnershipNode>;
    links: Array<OwnershipLink>;
  };
  meta: {
    /** Number of companies in this answer, including the one that was asked for. */
    nodes: number;
    /** Number of links in this answer. */
    links: number;
    /** Number of links that are part of a cycle. */
    cyclicLinks: number;
    /** Whether companies or links were left out: an answer has at most 1000 companies and 4000 links. */
    truncated: boolean;
    /** Identifier of the register that the record comes from. */
    register: string;
    /**
     * Whether the answer says something about this company: `available` (the files of parties of this register are
     * imported), `off` (the operator of this service has switched them off), `not_imported` (the register publishes
     * them, but they are not imported here), `not_published` (the register publishes none that can be imported). New
     * values may be added.
     */
    coverage: string;
  };
}

/** A section, division, group or class of ISIC Rev. 4. */
export interface IsicCode {
  /** The code, as the parameter `isic` takes it. */
  code: string;
  /** The level of the code. */
  level: "section" | "division" | "group" | "class";
  /** The code that this one belongs to. `null` for a section. */
  parent: string | null;
  /** English title. */
  label: string;
  /** Companies with an activity in this code. A company with several activities can be in several codes. */
  entities: number;
}

export interface IsicTree {
  data: Array<IsicCode>;
  meta: {
    count: number;
  };
}

/** A code of the list of entity legal forms (ELF, ISO 20275). */
export interface ElfCode {
  /** The code, as the parameter `elf` takes it. */
  code: string;
  /** The country of the form. `null` if the code is not in our edition of the list. */
  countryCode: string | null;
  /** The name of the form in its country. `null` if the code is not in our edition of the list. */
  name: string | null;
  /** The class of the form. `null` if it is not known. New values may be added. */
  legalFormClass: "limited_company" | "public_company" | "partnership" | "sole_trader" | "branch" | "association" | "foundation" | "cooperative" | "public_body" | "other" | null;
  /** Companies with this code. */
  entities: number;
}

export interface ElfList {
  data: Array<ElfCode>;
  meta: {
    count: number;
  };
}

/** One of the facts that a score is made of. */
export interface MatchReason {
  /** What was compared. New values may be added. */
  feature: string;
  /** What was found: a word, a number, a legal form, a place. */
  value: string;
  /** How much it counts for (above 0) or against (below 0) this company, in log odds. */
  weight: number;
  /** The same in words. Its wording may change. */
  text: string;
}

/** A company that may be the one that was meant. */
export interface MatchCandidate {
  entity: EntitySummary;
  /** The probability that this is the company that was meant. */
  score: number;
  /** Whether it is safe to take it without asking anybody. True for at most one candidate. */
  match: boolean;
  reasons: Array<MatchReason>;
}

/** The companies that a query can mean. */
export interface MatchAnswer {
  /**
   * `match`: the first candidate is the company. `ambiguous`: one of several, see `text`. `none`: no company fits well
   * enough.
   */
  status: "match" | "ambiguous" | "none";
  /** What was found, and what to add if it is ambiguous. Its wording may change. */
  text: string;
  /** The best first. */
  candidates: Array<MatchCandidate>;
  /** Whether the search for candidates reached its bound, so that one may be missing. */
  bounded: boolean;
}

export interface MatchReply {
  data: MatchAnswer;
}

/** The normalized fields of a company, before or after a change. */
export interface ChangedValues {
  /** Name for search and display. */
  canonicalName: string;
  /**
   * Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure), `inactive`
   * (suspended, stopped or not registered at present; the source does not say that the company has ended),
   * `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership, restructuring or
   * another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into another company or
   * deregistered for another reason), `delisted` (missing from the latest complete file of its register; the record is
   * kept), `unknown` (the source has no status, or one whose meaning is not known). New values may be added.
   */
  status: string;
  /** National legal form, in the words of the register. */
  legalForm: string | null;
  /** Date of registration. */
  registeredAt: string | null;
}

/** How one value inside a record changed. */
export interface ChangedDetail {
  /** Path of the value in the record. Items of lists are listed under the path of the list. */
  field: string;
  /** The value before as text, JSON if it is an object. Long ones are cut. */
  before: string | null;
  /** The value after as text, JSON if it is an object. Long ones are cut. */
  after: string | null;
}

/** What an import changed about one company. */
export interface Change {
  /** Place in the feed right after this change. Opaque: do not take it apart. */
  cursor: string;
  /**
   * What happened: `added` (the company is new), `changed` (fields of the record have changed), `delisted` (the
   * register no longer lists the company), `relisted` (the register lists the company again), `loaded` (the register
   * was imported for the first time; there is one such change per country and none per company). New values may be
   * added.
   */
  type: string;
  /** Time of the import that published the change. All changes of an import have the same time. */
  occurredAt: string;
  /** The company. `null` if `type` is `loaded`. */
  entityId: string | null;
  /** Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2). */
  countryCode: string;
  /** Identifier of the register that the record comes from. */
  register: string;
  /**
   * Names of the fields of the record that have changed: `countryCode`, `register`, `registrationNumber`,
   * `canonicalName`, `status`, `legalForm`, `city`, `registeredAt`, `updatedAt`, `jurisdiction`, `registry`,
   * `sourceData`, `registrations`, `related`, `parties`. `provenance` and `updatedAt` change with them and are not
   * listed; the list is `updatedAt` alone if the record was only written again. Empty if `type` is `added` or
   * `loaded`. New values may be added.
   */
  fields: Array<string>;
  before: ChangedValues | null;
  after: ChangedValues | null;
  /**
   * What changed in other fields, at most 20 values. `null` if nothing did, and for changes that were imported before
   * this field existed.
   */
  details: Array<ChangedDetail> | null;
}

/** One page of changes. It may have fewer than `limit` changes, or none. */
export interface ChangePage {
  /** In the order of the imports, the oldest first. */
  data: Array<Change>;
  meta: {
    /** Send it as `cursor` to continue. Present on every page, even on an empty one. */
    nextCursor: string;
    /** Whether there may be more changes already. If so, request the next page at once. */
    hasMore: boolean;
    /** Cursor before the oldest change that is kept. */
    oldest: string;
  };
}

/** Changes of one company. */
export interface EntityChangePage {
  /** The newest first. */
  data: Array<Change>;
  meta: {
    /** Send it as `cursor` to read older changes. `null` if there are none. */
    nextCursor: string | null;
    /** Whether there are older changes. */
    hasMore: boolean;
    /** Cursor before the oldest change that is kept. */
    oldest: string;
  };
}

/** A register whose companies are in an export, and its licence. */
export interface ExportedRegister {
  /** Identifier of the register. */
  register: string;
  /** Publisher of the register. */
  publisher: string;
  /** Licence of the data. */
  licence: string;
  /** Whether the publisher states a licence. */
  licenceKnown: boolean;
  /** The text that the publisher wants you to show. `null` if it asks for none. */
  attribution: string | null;
  /** Whether all its companies are invented, as in the demo. */
  synthetic: boolean;
  /** The day that the data describes, according to its publisher. `null` if unknown. */
  asOf: string | null;
  /** Number of companies, or of parties. */
  rows: number;
}

/** One file of an export. */
export interface ExportedFile {
  /** Path within the generation, below the name of the format. */
  path: string;
  /** Address of the file. It needs the same API key. */
  url: string;
  /** Two-letter country code (ISO 3166-1 alpha-2). `ZZ`: parties of a register that spans countries. */
  country: string;
  /** Number of companies, or of parties. */
  rows: number;
  /** Size in bytes. */
  bytes: number;
  /** SHA-256 of the file, 64 hexadecimal digits. It is also its `ETag`. */
  sha256: string;
}

/** All companies, or all parties, of one generation of the data in one format. */
export interface Export {
  /** Number of the import that published this data. All files of an export are from that moment. */
  generation: number;
  /** The snapshot of the data. It is also a cursor: `/changes` with it has what has changed since. */
  dataVersion: string | null;
  /** When the export was made. */
  createdAt: string;
  /**
   * Format of its files. Those of parties, such as `parties-parquet` and `bods`, have who owns and manages companies.
   * New formats may be added.
   */
  format: "parquet" | "ndjson" | "csv" | "parties-parquet" | "parties-ndjson" | "parties-csv" | "bods";
  /** Number of companies, or of parties. */
  rows: number;
  /** Size of all its files in bytes. */
  bytes: number;
  /** Countries that it has companies of, sorted. */
  countries: Array<string>;
  /** Address of the manifest, which also describes the columns. It needs the same API key. */
  manifestUrl: string;
  /** Address of the licences of the data as a document. It needs the same API key. */
  licencesUrl: string;
  /** The registers in it, with their licences. */
  registers: Array<ExportedRegister>;
  /** Registers that were left out because their licence is not known. */
  leftOut: Array<string>;
  /** Its files, sorted by path. */
  files: Array<ExportedFile>;
}

export interface ExportList {
  /** The newest generation first. */
  data: Array<Export>;
}

/** A plan and its limits. */
export interface ApiPlan {
  id: "free" | "pro" | "business";
  name: string;
  /** Price per month in euros. */
  monthlyPriceEur: number;
  /** Data requests included per billing period. */
  monthlyRequests: number;
  /** Data requests allowed per minute and API key. */
  requestsPerMinute: number;
  /** Maximum number of active API keys. */
  maxApiKeys: number;
  /** Maximum number of monitors. */
  maxMonitors: number | null;
  /** Maximum number of companies in all monitors together. */
  maxWatchedCompanies: number | null;
}

/** Usage in the current billing period. */
export interface Usage {
  periodStart: string;
  /** When the quota resets. */
  periodEnd: string;
  /** Requests charged in this period. */
  used: number;
  /** Requests included in this period. */
  limit: number;
  /** Requests left in this period. */
  remaining: number;
  /**
   * `quota_nearly_used` from 80% of the quota, `quota_used` when no request is left until `periodEnd`. `null` below
   * 80%.
   */
  warning: "quota_nearly_used" | "quota_used" | null;
  /**
   * Requests per day (UTC), from the first to the last day of the period. Days without requests may be missing. After
   * a change of plan, a day can include requests that were charged to the previous period, so that the sum is more
   * than `used`.
   */
  daily: Array<{
    date: string;
    requests: number;
  }>;
  /**
   * The period before, which a new subscription may have ended early: its count does not continue in the current one.
   * `null` if nothing was charged to it.
   */
  previous: {
    periodStart: string;
    /** When the current period started. */
    periodEnd: string;
    /** Requests charged in that period. */
    used: number;
  } | null;
}

/** State of the subscription. */
export interface Billing {
  /**
   * Status of the subscription, as last reported by a signed event of the payment provider, or `none` without a
   * subscription.
   */
  status: string;
  /**
   * End of the paid period. It is in the past until the event of the renewal arrives. `null` without a subscription,
   * and as soon as it has ended or does not entitle to a plan, for example after an immediate cancellation.
   */
  currentPeriodEnd: string | null;
  /** Whether the subscription is cancelled and ends with the paid period. False as soon as it has ended. */
  cancelAtPeriodEnd: boolean;
  /**
   * Whether you can open the customer portal. True on every server with a payment provider, even for accounts without
   * a subscription.
   */
  portalAvailable: boolean;
}

/** An active API key. The secret is not included. */
export interface ApiKey {
  /** Unique identifier of the key. Use it to revoke the key. */
  id: string;
  /** The name you gave the key. */
  name: string;
  /** First characters of the secret, to recognize the key. */
  prefix: string;
  createdAt: string;
  /** Time of the last request with this key. `null` if it was never used. */
  lastUsedAt: string | null;
  /** When the key stops working because it was rotated: another one replaces it. `null` if it was not. */
  expiresAt: string | null;
  /** Whether the key may change monitors and webhook endpoints. Every key can read them. */
  canManage: boolean;
}

/** A developer account. */
export interface Account {
  id: string;
  plan: ApiPlan;
  usage: Usage;
  billing: Billing;
  /** Active API keys, oldest first. */
  apiKeys: Array<ApiKey>;
  /**
   * How many active API keys the account has above `plan.maxApiKeys`, after a change to a smaller plan. They keep
   * working, and no new one can be created. `null` if there are none.
   */
  excessApiKeys: number | null;
  /**
   * How many requests per minute all API keys of the account may send together, however many there are:
   * `plan.requestsPerMinute` × `plan.maxApiKeys`.
   */
  requestsPerMinuteOfAllKeys: number | null;
}

export interface AccountReply {
  data: Account;
}

/** The signed-in user. */
export interface User {
  id: string;
  /** E-mail address from the identity provider, if it provides one. */
  email: string | null;
  /** Name from the identity provider, if it provides one. */
  name: string | null;
  /** The account that the user belongs to. */
  accountId: string;
}

export interface UserReply {
  data: User;
}

export interface ApiKeyList {
  data: Array<ApiKey>;
  meta: {
    /** Number of active keys. */
    count: number;
    /** Maximum number of active keys of the plan. */
    limit: number;
  };
}

export interface NewApiKey {
  /**
   * What the key is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it, white space
   * and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
   */
  name: string;
  /**
   * Whether the key may change monitors and webhook endpoints. Only programs that do so need it.
   * @default false
   */
  canManage?: boolean | undefined;
}

/** A new API key, including its secret. */
export interface CreatedApiKey extends ApiKey {
  /** The API key to send with requests. Store it now: it is never shown again. */
  secret: string;
}

export interface CreatedApiKeyReply {
  data: CreatedApiKey;
}

/** An active reconcile link. Its address is not included. */
export interface ReconcileLink {
  /** Unique identifier of the link. Use it to revoke the link. */
  id: string;
  /** The name you gave the link. */
  name: string;
  /** First characters of the secret, to recognize the link. */
  prefix: string;
  createdAt: string;
  /** Time of the last request with this link. `null` if it was never used. */
  lastUsedAt: string | null;
  /** When the link stops working because it was rotated: another one replaces it. `null` if it was not. */
  expiresAt: string | null;
}

export interface ReconcileLinkList {
  data: Array<ReconcileLink>;
  meta: {
    /** Number of active links. */
    count: number;
    /** Maximum number of active links of the plan. */
    limit: number;
  };
}

export interface NewReconcileLink {
  /**
   * What the link is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it, white space
   * and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
   */
  name: string;
}

/** A new reconcile link, including its address. */
export interface CreatedReconcileLink extends ReconcileLink {
  /** The address to add to OpenRefine as a standard service. Store it now: it is never shown again. */
  url: string;
}

export interface CreatedReconcileLinkReply {
  data: CreatedReconcileLink;
}

export interface NewCheckout {
  /** The plan to buy. */
  plan: "pro" | "business";
}

/** A page of the payment provider. Redirect the customer to it. */
export interface HostedPage {
  data: {
    /** Address of a page of the payment provider. */
    url: string;
  };
}

/** The process is running and accepts requests. */
export interface Live {
  status: "ok";
  service: "web";
  version: string;
}

/** The service is ready for traffic. */
export interface Ready {
  status: "ready";
  database: "ok";
  version: string;
}

/** A database cannot be used, migrations have not completed, or search is starting. */
export interface NotReady {
  status: "unavailable";
  database: "error";
  version: string;
}

export interface PlanList {
  data: Array<ApiPlan>;
}

export interface OpenApiDocument {
  [name: string]: unknown;
}

/** A company to find. */
export interface MatchQuery {
  /** The name as you have it: misspelt, shortened, in another script or order, with or without its legal form. */
  name: string;
  /** Two-letter country code (ISO 3166-1 alpha-2). Case is ignored. */
  country?: string | undefined;
  /** A registration number, VAT number or LEI. */
  registrationNumber?: string | undefined;
  /** City of the registered address. */
  city?: string | undefined;
  /** Postcode of the registered address. */
  postcode?: string | undefined;
  /** Legal form, in words or as an abbreviation. */
  legalForm?: string | undefined;
  /** Date of registration: a year, a month or a day. */
  registeredAt?: string | undefined;
  /** Normalized [status](/docs/status), as in the `status` field of a result. New values may be added. */
  status?: "active" | "inactive" | "in_liquidation" | "insolvent" | "dissolved" | "delisted" | "unknown" | undefined;
  /**
   * How many candidates to return at most.
   * @default 5
   */
  limit?: number | undefined;
}

export interface MatchBatch {
  queries: Array<MatchQuery>;
}

/** An answer or an error for every query. */
export interface MatchBatchReply {
  /** One answer or error per query, in the order of the queries. */
  data: Array<MatchAnswer | ErrorResponse>;
  meta: {
    /** How many requests of the quota this has cost. */
    units: number;
  };
}

/** Companies whose changes you want to know, and what counts as a change. */
export interface Monitor {
  id: string;
  name: string;
  /** The parameters of the saved search. `null` for a list. */
  search: {
    [name: string]: unknown;
  } | null;
  /** The types of change that count. */
  types: Array<string>;
  /** The fields whose changes count. `null`: any. */
  fields: Array<string> | null;
  /** Number of watched companies. */
  entities: number;
  /** Place in the change feed after which changes are reported. */
  cursor: string;
  /**
   * Why the monitor has stopped: `too_many_companies` if its saved search matches more than 10,000 companies of a
   * register that was imported for the first time. Send a narrower `search` to continue. New values may be added.
   */
  problem: string | null;
  createdAt: string;
}

export interface MonitorList {
  data: Array<Monitor>;
  meta: {
    /** Number of monitors. */
    count: number;
    /** Maximum number of monitors of the plan. */
    limit: number;
    /** Watched companies of all monitors. */
    watched: number;
    /** Maximum of the plan. */
    watchedLimit: number;
  };
}

export type CompanyReference = string | {
  countryCode: string;
  registrationNumber: string;
};

/**
 * The parameters of a search (`GET /api/v1/entities`) without order and page. At most 10,000 companies may match when
 * it is set. See [saved searches](/docs/monitors#saved-searches).
 */
export interface SavedSearch {
  /**
   * Part of a company name or of a registration number, or all of it. Case, accents, invisible characters and blanks
   * at the start and the end are ignored, several blanks count as one, and all kinds of apostrophes, quotation marks
   * and dashes are equal. If the value has only letters, digits and separators (space, `.`, `-`, `/`) and at least one
   * digit, it is also compared with numbers after removing the separators from both; a value that has separators
   * itself needs at least five letters and digits for this. In countries where the VAT number contains the national
   * number, a complete VAT number with its country prefix finds the company, too. An empty value matches every
   * company.
   */
  q?: string | undefined;
  /**
   * Up to 20 words in any order. A company matches if each of them is a word, the beginning of one or a part of one in
   * its current name, in a former or other name, in one of these in Latin letters, or in a registration number. Case,
   * accents, signs and repeated words are ignored, and a value without a letter or digit matches every company. With
   * `words`, results are sorted by `relevance` unless `sort` says otherwise. See [search by
   * words](/docs/paging#what-words-finds).
   */
  words?: string | undefined;
  /** Two-letter country code (ISO 3166-1 alpha-2). Case is ignored. */
  country?: string | undefined;
  /** Identifier of the register, exactly as in the `register` field of a result. */
  register?: string | undefined;
  /**
   * Under whose law the company was formed, as in the `jurisdiction` field of a result: a state or province (ISO
   * 3166-2), or a country without such (ISO 3166-1 alpha-2). Case is ignored. Companies whose register does not say it
   * are left out.
   */
  jurisdiction?: string | undefined;
  /** Normalized [status](/docs/status), as in the `status` field of a result. New values may be added. */
  status?: "active" | "inactive" | "in_liquidation" | "insolvent" | "dissolved" | "delisted" | "unknown" | undefined;
  /** National legal form, exactly as in the `legalForm` field of a result. */
  legalForm?: string | undefined;
  /**
   * Code of the national legal form, exactly as in `registry.legalForm.code` of a record. Registers use the same codes
   * for different legal forms, so combine it with `country` or `register`.
   */
  legalFormCode?: string | undefined;
  /**
   * Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275), as in the `elf`
   * field of a result, or several, separated by commas.
   */
  elf?: string | undefined;
  /**
   * [Class of the legal form](/docs/legal-forms#classes), the same in all countries: `limited_company`,
   * `public_company`, `partnership`, `sole_trader`, `branch`, `association`, `foundation`, `cooperative`,
   * `public_body`, `other`, or several, separated by commas. New values may be added.
   */
  legalFormClass?: string | undefined;
  /**
   * National activity: its code, its label in any language of the register, or the complete value as the source writes
   * it, each exactly as published.
   */
  activity?: string | undefined;
  /**
   * The kind of activities that `activity` is compared with.
   * @default "unlicensed"
   */
  activityType?: "unlicensed" | "licensed" | undefined;
  /**
   * Code of [ISIC Rev. 4](/docs/classifications): a section (`J`), division (`62`), group (`620`) or class (`6201`),
   * or several, separated by commas. Finds companies with any activity in one of them.
   */
  isic?: string | undefined;
  /** Only companies registered on this day or later. Companies without a `registeredAt` are left out. */
  registeredFrom?: string | undefined;
  /** Only companies registered on this day or earlier. Companies without a `registeredAt` are left out. */
  registeredTo?: string | undefined;
}

export interface NewMonitor {
  /**
   * What the monitor is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it, white
   * space and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
   */
  name: string;
  /** Companies to watch, at most 1000 per request: ids, or countries and registration numbers. */
  entities?: Array<CompanyReference> | undefined;
  search?: SavedSearch | undefined;
  /**
   * The types of change that count: `added` (a watched company appears for the first time), `changed` (fields of the
   * record have changed), `delisted` (the register no longer lists the company), `relisted` (the register lists the
   * company again), `entered` (the company begins to match the saved search), `left` (the company no longer matches
   * the saved search). All of them by default. New values may be added.
   */
  types?: Array<"added" | "changed" | "delisted" | "relisted" | "entered" | "left"> | undefined;
  /**
   * Changes of the type `changed` count only if one of these fields changed. `address` is the city and the registered
   * address. `null`, the default: any field. New values may be added.
   */
  fields?: Array<"status" | "canonicalName" | "address" | "legalForm" | "registeredAt" | "related" | "parties"> | null | undefined;
}

export interface CreatedMonitorReply {
  data: Monitor;
  meta: {
    /** The companies of the request that there are not. They were left out. */
    notFound: Array<CompanyReference>;
  };
}

export interface MonitorReply {
  data: Monitor;
}

export interface MonitorUpdate {
  /**
   * What the monitor is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it, white
   * space and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
   */
  name?: string | undefined;
  search?: SavedSearch | undefined;
  /**
   * The types of change that count: `added` (a watched company appears for the first time), `changed` (fields of the
   * record have changed), `delisted` (the register no longer lists the company), `relisted` (the register lists the
   * company again), `entered` (the company begins to match the saved search), `left` (the company no longer matches
   * the saved search). All of them by default. New values may be added.
   */
  types?: Array<"added" | "changed" | "delisted" | "relisted" | "entered" | "left"> | undefined;
  /**
   * Changes of the type `changed` count only if one of these fields changed. `address` is the city and the registered
   * address. `null`, the default: any field. New values may be added.
   */
  fields?: Array<"status" | "canonicalName" | "address" | "legalForm" | "registeredAt" | "related" | "parties"> | null | undefined;
}

export interface UpdatedMonitorReply {
  data: Monitor;
  meta: {
    /** Place in the change feed. Changes after it are compared with the monitor as it is now. */
    cursor: string;
    /** Companies that match the new search and did not match the old one. `null` if the search was not changed. */
    added: number | null;
    /** Companies that matched the old search and do not match the new one. `null` if the search was not changed. */
    removed: number | null;
  };
}

export interface MonitorEntityList {
  /** Ids of companies, in order. */
  data: Array<string>;
  meta: {
    /** Send it as `after` to continue. `null` at the end. */
    next: string | null;
  };
}

export interface MonitorEntityChanges {
  /** Companies to add, at most 1000 per request: ids, or countries and registration numbers. */
  add?: Array<CompanyReference> | undefined;
  /** Companies to remove, at most 1000 per request: ids, or countries and registration numbers. */
  remove?: Array<CompanyReference> | undefined;
}

export interface MonitorEntitiesChangedReply {
  data: Monitor;
  meta: {
    /** Companies that were not in the list before. */
    added: number;
    /** Companies that were in the list. */
    removed: number;
    /** The companies of the request that there are not. They were left out. */
    notFound: Array<CompanyReference>;
    /** Place in the change feed. Changes after it are compared with the monitor as it is now. */
    cursor: string;
  };
}

/** Where the events of monitors are sent to. The secret is not included. */
export interface WebhookEndpoint {
  id: string;
  /**
   * Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator allows
   * more. It has no user name and no fragment.
   */
  url: string;
  /** What the endpoint is for, in your words: up to 200 characters, without control characters. */
  description: string | null;
  /** The monitors whose events are sent. `null`: all monitors of the account, also future ones. */
  monitorIds: Array<string> | null;
  /** Whether events are sent. A disabled endpoint loses none: they are sent when it is enabled. */
  enabled: boolean;
  /**
   * Why it is disabled: `owner` or `operator` did it, the receiver answered 410 (`gone`), or ten attempts to deliver
   * an event failed (`failing`). `null` while it is enabled.
   */
  disabledReason: "owner" | "operator" | "gone" | "failing" | null;
  /** When it was disabled. */
  disabledAt: string | null;
  /** Until then, the secret before the last rotation signs, too. `null` if it was never rotated. */
  previousSecretEndsAt: string | null;
  createdAt: string;
}

export interface WebhookEndpointList {
  data: Array<WebhookEndpoint>;
  meta: {
    /** Number of active endpoints. */
    count: number;
    /** Maximum number of active endpoints of the plan. */
    limit: number;
  };
}

export interface NewWebhookEndpoint {
  /**
   * Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator allows
   * more. It has no user name and no fragment.
   */
  url: string;
  /** What the endpoint is for, in your words: up to 200 characters, without control characters. */
  description?: string | null | undefined;
  /** The monitors whose events are sent. `null`: all monitors of the account, also future ones. */
  monitorIds?: Array<string> | null | undefined;
}

/** A webhook endpoint with a new secret. */
export interface CreatedWebhookEndpoint extends WebhookEndpoint {
  /** Verifies the signatures of what is sent. Store it now: it is never shown again. */
  secret: string;
}

export interface CreatedWebhookEndpointReply {
  data: CreatedWebhookEndpoint;
}

export interface WebhookEndpointReply {
  data: WebhookEndpoint;
}

/** What to change. What is left out stays as it is. */
export interface WebhookEndpointChange {
  /**
   * Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator allows
   * more. It has no user name and no fragment.
   */
  url?: string | undefined;
  /** What the endpoint is for, in your words: up to 200 characters, without control characters. */
  description?: string | null | undefined;
  /** The monitors whose events are sent. `null`: all monitors of the account, also future ones. */
  monitorIds?: Array<string> | null | undefined;
  /** `true` sends everything that was not delivered, and what has happened since. `false` pauses. */
  enabled?: boolean | undefined;
}

/** One request to the receiver. */
export interface WebhookAttempt {
  at: string;
  /** The status of the response. `null` if there was none. */
  status: number | null;
  /** Why there was no response. `null` if there was one. */
  reason: string | null;
  /** The first 500 bytes of the response. */
  body: string;
  /** How long it took, in milliseconds. */
  tookMs: number;
}

/**
 * One event for one endpoint. It costs one unit of quota when it is sent, whatever the receiver answers. Retries are
 * free. An attempt that ends before anything is sent, such as a connection that is refused, costs nothing.
 */
export interface WebhookDelivery {
  /** The header `webhook-id`: the same in every attempt, and in a replay. */
  id: string;
  /** The `type` of the payload. */
  type: string;
  /**
   * `waiting` for its first or next attempt, for the quota, or for the endpoint to be enabled; `delivered`; `failed`
   * after ten attempts. A test fails after one attempt, or if its endpoint is disabled while it waits.
   */
  state: "waiting" | "delivered" | "failed";
  /** What is sent, as JSON text. `null` until it was sent for the first time, which is when it is charged. */
  payload: string | null;
  createdAt: string;
  /** When the next attempt is due. `null` if there is none. */
  nextAttemptAt: string | null;
  /** When the receiver accepted it. `null` if it has not. */
  deliveredAt: string | null;
  /** The latest twelve attempts, oldest first. */
  attempts: Array<WebhookAttempt>;
}

export interface WebhookDeliveryList {
  data: Array<WebhookDelivery>;
}

export interface WebhookDeliveryReply {
  data: WebhookDelivery;
}

/** An event in the format of the payment provider. */
export interface PaymentEvent {
  id: string;
  /**
   * `checkout.session.completed`, or `customer.subscription.` followed by `created`, `updated`, `deleted`, `paused` or
   * `resumed`. Other types are accepted and ignored.
   */
  type: string;
  /** Unix timestamp in seconds, at most 300 seconds in the future. */
  created: number;
  data?: {
    object?: {
      [name: string]: unknown;
    } | undefined;
    [name: string]: unknown;
  } | undefined;
  [name: string]: unknown;
}

export interface WebhookReply {
  received: true;
  /** The event was already applied. */
  duplicate: boolean;
  /** A newer event is known, so nothing changed. */
  stale: boolean;
}
