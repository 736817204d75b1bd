/**
 * The weights of all features that count for or against a company, in units of log odds: 0.7 doubles the odds, 2.3 multiplies the odds by
 * ten. A feature has a value, usually a share between 0 and 1, and counts with value × weight. See docs/decisions/0034-matching.md for the
 * origin of the figures.
 */
export const weights = {
  /** Every comparison starts with this weight. */
  start: 2.4,
  /** All words are equal and in equal order, so no difference has to be explained. */
  equal: 2,
  /** All words are equal but in another order, and few other companies have all these words. */
  sameWords: 2.4,
  /** The rarity of the words that agree, from 0 to 1.5: one rare word counts as much as several common words. */
  rarity: 0.5,
  /** The first words agree. Half if the words are only related; less if the first asked word is elsewhere in the company's name. */
  lead: 2.1,
  /** One of the names has only common words, and the names are not equal. */
  common: -4.5,
  /** No distinctive word agrees. */
  indistinct: -2.5,
  /** The share of the asked name, by rarity, that the company's name lacks: people seldom invent words. */
  askedAlone: -3.2,
  /** The share of the company's name that the asked name lacks: people leave words out. */
  knownAlone: -6,
  /** A distinctive word of the asked name has no partner: another company may be meant, or two companies at once. */
  askedRare: -1,
  /** A distinctive word of the company's name has no partner. */
  knownRare: -0.8,
  /** Each name has words that the other lacks, which usually distinguish two companies. */
  bothAlone: -2.4,
  /** Both names have a legal form and words that the other lacks: people who write the form usually write the whole name. */
  bothWhole: -2,
  /** Words of two scripts sound alike: a word can be transcribed in several ways. */
  spelling: -0.3,
  /** The edits per letter in the words that agree, by rarity. */
  typo: -8.5,
  /** The supposed typo is a word of other companies, so the word may be meant. */
  knownTypo: -2.4,
  /** The misspelt word is short, so another letter may make another word. */
  shortTypo: -1.5,
  /** The first letter differs, which is seldom a typo. */
  startTypo: -1.6,
  /** Words are shortened or cut off. */
  shortened: -5.5,
  /** Words are related, such as `fencing` and `fence`. */
  related: -4,
  /** A word consists of the initials of several words. */
  initials: -6.5,
  /** Words are joined or split. */
  joined: -0.5,
  /** Words have another order. */
  order: -0.1,
  /** The legal forms have the same class. */
  formEqual: 0.3,
  /** Only one of the names has a legal form: people often leave the form out. */
  formMissing: -0.1,
  /** The legal forms have different classes: in a register, these are usually two companies. */
  formOther: -7,
  /** The form belongs to another country. */
  formCountry: -3,
  /** Only one of the names contains a country, as the names of subsidiaries do. */
  placeAlone: -5.6,
  /** The names contain different countries. */
  placeOther: -9,
  /** Only the asked name has a number. */
  numberAsked: -4,
  /** Only the company's name has a number: companies of a series differ by their number. */
  numberKnown: -9,
  /** The name is a former name of the company: another company may have this name today. */
  former: -1,
  /** The name is a trade name, a translation or an abbreviation. */
  other: -0.8,
  /** Only a part of the text agrees, such as the name after `t/a`. */
  part: -1.5,
  /** Only a part in brackets or after a slash agrees: several companies may have been named. */
  partOther: -3.2,
  /** A registration number, VAT number or LEI decides almost alone. */
  number: 9,
  /** The company has numbers, but not the number of the query. */
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
  /** The year is the same, but not the day. */
  registeredYear: 1,
  registeredOther: -2,
  status: 0.4,
  statusOther: -0.8,
} as const;

export type Feature = keyof typeof weights;
export type Features = Partial<Record<Feature, number>>;

/** The maximum sum of a name that fails a gate. Such a name cannot be a match, whatever else agrees. */
export const GATE_LIMIT = -6;
/** A word is distinctive if its share of companies is below this limit. */
export const DISTINCTIVE_SHARE = 1 / 700;
/** A word is rare below this share or number of companies. Names that differ need a common rare word to be a match. */
export const RARE_SHARE = 1 / 5_000;
export const RARE_COMPANIES = 3;
/** This many companies without the word are added, because in a small set of companies the share of a word has little meaning. */
export const SMOOTHING = 2_000;

/** `match` is true above this probability ... */
export const MATCH_SCORE = 0.9;
/** ... and if the second candidate is at least this far below the first. */
export const MATCH_MARGIN = 0.5;
/** If the probability of the best candidate alone is below this, the answer is `none`. */
export const NONE_SCORE = 0.5;

/** Candidates with a lower score are not returned. */
export const LEAST_SCORE = 0.0005;

/** Maps the sum of the weights to calibrated log odds: sum × slope + shift. */
export const CALIBRATION = { slope: 0.7, shift: 2.3 } as const;
