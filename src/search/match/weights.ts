/**
 * Everything that counts for or against a company, in units of log odds: 0.7 doubles the odds, 2.3 makes them ten times as high. A
 * feature has a value, mostly a share between 0 and 1, and counts with value × weight. To find out where a figure comes from, see
 * docs/decisions/0034-matching.md.
 */
export const weights = {
  /** Where a comparison starts: two names that share nothing are almost never of one company. */
  start: 2.4,
  /** All words are the same, in the same order: nothing to explain. */
  equal: 2,
  /** The same words in another order, which few other companies share. */
  sameWords: 2.4,
  /** How rare the words are that agree, from 0 to 1.5: one rare word is worth several common ones. */
  rarity: 0.5,
  /** The first words agree; half if one is only related to the other, less if the first asked word stands elsewhere in the company's name. */
  lead: 2.1,
  /** One of the names has common words only, and the names are not the same. */
  common: -4.5,
  /** No distinctive word agrees. */
  indistinct: -2.5,
  /** Share of the asked name, by rarity, that the company's name lacks: people seldom invent words. */
  askedAlone: -3.2,
  /** Share of the company's name that was not asked for: people leave words out. */
  knownAlone: -6,
  /** A distinctive word of the asked name has no partner: another company may have been meant, or two at once. */
  askedRare: -1,
  /** A distinctive word of the company's name was not asked for. */
  knownRare: -0.8,
  /** Both names have words that the other lacks: then these say that it is another company. */
  bothAlone: -2.4,
  /** Both names have a legal form, and other words: who writes the form writes the whole name. */
  bothWhole: -2,
  /** Words of two scripts that sound the same: there are several ways to transcribe them. */
  spelling: -0.3,
  /** Edits per letter in the words that agree, by rarity. */
  typo: -8.5,
  /** The word that is taken for a typo is a word of other companies, so it may be meant. */
  knownTypo: -2.4,
  /** The word that is misspelt is short: another letter makes another word. */
  shortTypo: -1.5,
  /** The first letter differs: people seldom mistype it. */
  startTypo: -1.6,
  /** Words are shortened or cut off. */
  shortened: -5.5,
  /** Words are related, such as `fencing` and `fence`. */
  related: -4,
  /** A word stands for the initials of several. */
  initials: -6.5,
  /** Words are joined or split. */
  joined: -0.5,
  /** Words have another order. */
  order: -0.1,
  /** The class of the legal form is the same. */
  formEqual: 0.3,
  /** Only one of the names has a legal form: it is often left out. */
  formMissing: -0.1,
  /** Another class of legal form: in a register this is mostly another company. */
  formOther: -7,
  /** The form belongs to another country. */
  formCountry: -3,
  /** A country in one of the names only: subsidiaries are named so. */
  placeAlone: -5.6,
  /** Different countries in the names. */
  placeOther: -9,
  /** A number that only the asked name has. */
  numberAsked: -4,
  /** A number that only the company's name has: companies of a series differ by it. */
  numberKnown: -9,
  /** The name is a former one: it is of the company, but another may have it today. */
  former: -1,
  /** The name is a trade name, a translation or an abbreviation. */
  other: -0.8,
  /** Only a part of what was written agrees, such as what follows `t/a`. */
  part: -1.5,
  /** Only a part in brackets or after a slash agrees: several companies may have been named. */
  partOther: -3.2,
  /** A registration number, VAT number or LEI decides almost alone. */
  number: 9,
  /** The company has other numbers than the one asked for. */
  numberOther: -3,
  /** The town is the same. */
  city: 1.5,
  /** Another town: companies move, and people give the town of a branch. */
  cityOther: -1,
  postcode: 2.5,
  /** The first part of the postcode is the same. */
  postcodeArea: 1,
  postcodeOther: -1,
  legalForm: 0.8,
  legalFormOther: -1.5,
  registeredAt: 2.5,
  /** The same year, if a day was asked for. */
  registeredYear: 1,
  registeredOther: -2,
  status: 0.4,
  statusOther: -0.8,
} as const;

export type Feature = keyof typeof weights;
export type Features = Partial<Record<Feature, number>>;

/** Names that fail a gate cannot be a match, whatever else agrees about them: this is the most that the name may count. */
export const GATE_LIMIT = -6;
/** A word is distinctive if fewer than this share of the companies have it. */
export const DISTINCTIVE_SHARE = 1 / 700;
/** A word is rare if fewer than this share have it, or so few companies: names that differ need a rare word to be a match. */
export const RARE_SHARE = 1 / 5_000;
export const RARE_COMPANIES = 3;
/** Shares of words in small sets of companies say little: as if there were this many more without the word. */
export const SMOOTHING = 2_000;

/** `match` is true above this probability ... */
export const MATCH_SCORE = 0.9;
/** ... and if the second is at least so far below the first. */
export const MATCH_MARGIN = 0.5;
/** If the best candidate alone is less likely than this, the answer is `none`. */
export const NONE_SCORE = 0.5;

/** Candidates with a lower score are not returned. */
export const LEAST_SCORE = 0.0005;

/** Maps the sum of the weights to calibrated log odds: sum × slope + shift. */
export const CALIBRATION = { slope: 0.7, shift: 2.3 } as const;
