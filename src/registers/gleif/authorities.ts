/** GLEIF's codes of registration authorities that are registers of ours: by them a record is found in both. */
const REGISTERS: Readonly<Record<string, string>> = {
  RA000013: 'au',
  RA000014: 'au',
  RA000025: 'be',
  RA000072: 'ca',
  RA000161: 'cy',
  RA000181: 'ee',
  RA000394: 'in',
  RA000402: 'ie',
  RA000423: 'lv',
  RA000430: 'lt',
  RA000451: 'md',
  RA000484: 'pl',
  RA000523: 'sg',
  RA000526: 'sk',
  RA000585: 'gb',
  RA000681: 'br',
};

/** The code of the country's register, where there is or will be one; RA000013 is the business register of Australia. */
export function findRegister(authority: string): string | null {
  return REGISTERS[authority] ?? null;
}
