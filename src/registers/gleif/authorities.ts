/**
 * For each national register, GLEIF's codes of the authorities that use its numbers. They link an LEI record to the
 * national record of the same company. Every national register has an entry; the list is empty if no code is known.
 */
export const AUTHORITIES: Readonly<Record<string, readonly string[]>> = {
  ar: [],
  // ASIC, and the Australian Business Register, whose numbers (ABN) contain the number that ASIC gives (ACN).
  au: ['RA000014', 'RA000013'],
  be: ['RA000025'],
  br: ['RA000681'],
  ca: ['RA000072'],
  cl: [],
  cz: ['RA000163'],
  ee: ['RA000181'],
  fi: ['RA000188'],
  // Sirene, Infogreffe and the national register of companies: all three use the SIREN.
  fr: ['RA000189', 'RA000192', 'RA001129'],
  // England and Wales, Northern Ireland, Scotland.
  gb: ['RA000585', 'RA000586', 'RA000587'],
  ie: ['RA000402'],
  il: [],
  jp: [],
  lt: ['RA000430'],
  lv: ['RA000423'],
  // The state register, and two supervisors that use its number.
  md: ['RA000451', 'RA000950', 'RA000951'],
  no: ['RA000472', 'RA000473'],
  pe: [],
  ro: ['RA000497'],
  // Bolagsverket, and the tax authority, which gives numbers to associations.
  se: ['RA000544', 'RA000546'],
  sg: ['RA000523'],
  si: [],
  sk: ['RA000526'],
  tw: [],
  // The state register, and two supervisors that use its number.
  ua: ['RA000567', 'RA001026', 'RA001027'],
  'us-co': [],
  'us-fl': [],
  'us-ia': [],
  'us-ny': ['RA000628'],
};

const REGISTERS = new Map(
  Object.entries(AUTHORITIES).flatMap(([register, codes]) => codes.map((code) => [code, register])),
);

/** The id of the national register whose numbers the authority uses, or null if there is none. */
export function findRegister(authority: string): string | null {
  return REGISTERS.get(authority) ?? null;
}
