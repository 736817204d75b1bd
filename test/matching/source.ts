import { fold } from '../../src/base/fold.ts';
import { toLatin } from '../../src/base/romanise.ts';
import { removeSeparators } from '../../src/base/search-keys.ts';
import type { Candidate, CandidateSource } from '../../src/search/match/matching.ts';

export interface TestCompany {
  readonly name: string;
  readonly country?: string;
  readonly former?: readonly string[];
  readonly number?: string;
  readonly city?: string;
  readonly postcode?: string;
  readonly registeredAt?: string;
  readonly status?: string;
}

/** All companies are candidates of every query. Words that no company has are as rare as in a register of this size. */
export function sourceOf(companies: readonly TestCompany[], entities = 100_000, version = () => '1'): CandidateSource {
  const candidates = companies.map(toCandidate);
  const count = (word: string) => companies.filter(({ name }) => wordsOf(name).includes(word)).length;
  return {
    find: ({ country }) => ({
      version: version(),
      candidates: candidates.filter(({ entity }) => country === undefined || entity.countryCode === country),
      bounded: false,
      entities,
      frequency: (word) => COMMON[word] ?? count(word),
      sameName: ({ entity }) => companies.filter(({ name }) => fold(name) === fold(entity.canonicalName)).length,
    }),
  };
}

/** How many of the 100,000 companies have these words. */
const COMMON: Readonly<Record<string, number>> = {
  ...{
    holdings: 5_000,
    group: 3_000,
    services: 4_000,
    solutions: 2_000,
    construction: 1_500,
    global: 700,
    international: 900,
  },
  ...{
    bank: 400,
    management: 1_800,
    capital: 800,
    fund: 500,
    trust: 600,
    systems: 900,
    stavby: 300,
    trading: 900,
    of: 2_000,
  },
};

function wordsOf(name: string): string[] {
  return fold(name)
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((word) => [word, toLatin(word)]);
}

function toCandidate(company: TestCompany, at: number): Candidate {
  const {
    name,
    country = 'GB',
    former = [],
    number,
    city = null,
    postcode = null,
    registeredAt = null,
    status = 'active',
  } = company;
  const id = String(at).padStart(4, '0');
  return {
    id,
    entity: {
      id,
      countryCode: country,
      register: country.toLowerCase(),
      registrationNumber: number ?? null,
      canonicalName: name,
      status,
      legalForm: null,
      city,
      registeredAt,
      elf: null,
      legalFormClass: null,
      updatedAt: '2026-01-01T00:00:00.000Z',
      jurisdiction: null,
      isic: null,
    },
    countryCode: country,
    names: [{ text: name, kind: 'current' }, ...former.map((text) => ({ text, kind: 'former' as const }))],
    isAnywhere: true,
    numbers: number === undefined ? [] : [removeSeparators(fold(number))],
    postcode,
  };
}

export const requester = { account: 'test', deadline: Number.POSITIVE_INFINITY };
