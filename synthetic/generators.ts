import type { Register } from '../src/registers/contract.ts';
import type { SyntheticFile } from './file.ts';
import { generateFile as ar } from './registers/ar.ts';
import { generateFile as au } from './registers/au.ts';
import { generateExtract as be } from './registers/be.ts';
import { generateCompanies as br } from './registers/br.ts';
import { generateFile as ca } from './registers/ca.ts';
import { generateFile as cl } from './registers/cl.ts';
import { generateSubjects as cz } from './registers/cz.ts';
import { generateFile as ee } from './registers/ee.ts';
import { generateOtherFile as eeOther } from './registers/ee-details.ts';
import { generateParties as eeParties } from './registers/ee-parties.ts';
import { generateFile as fi } from './registers/fi.ts';
import { generateStock as fr } from './registers/fr.ts';
import { generateCompanies as gb } from './registers/gb.ts';
import { generateParties as gbParties } from './registers/gb-parties.ts';
import { generateFile as gleif } from './registers/gleif.ts';
import { generateParties as gleifParties } from './registers/gleif-parties.ts';
import { generateCompanies as ie } from './registers/ie.ts';
import { generateFiles as il } from './registers/il.ts';
import { generateFile as jp } from './registers/jp.ts';
import { generateEntities as lt } from './registers/lt.ts';
import { generateEntities as lv } from './registers/lv.ts';
import { generateParties as lvParties } from './registers/lv-parties.ts';
import { generateWorkbook as md } from './registers/md.ts';
import { generateFile as no } from './registers/no.ts';
import { generateParties as noParties } from './registers/no-parties.ts';
import { generateFile as pe } from './registers/pe.ts';
import { generateCompanies as ro } from './registers/ro.ts';
import { generateFiles as se } from './registers/se.ts';
import { generateFile as sg } from './registers/sg.ts';
import { generateEntities as si } from './registers/si.ts';
import { generateEntities as sk } from './registers/sk.ts';
import { generateFiles as tw } from './registers/tw.ts';
import { generateFile as ua } from './registers/ua.ts';
import { generateFile as usCo } from './registers/us-co.ts';
import { generateFile as usFl } from './registers/us-fl.ts';
import { generateFile as usIa } from './registers/us-ia.ts';
import { generateFile as usNy } from './registers/us-ny.ts';

/**
 * Files with invented companies in the formats of the registers, for the demo, tests, benchmarks and `firmament generate`. This folder
 * owns the generators (`registers/`), the random values they draw (`chance.ts`) and the writers of files (`writers/`). Nothing that
 * serves users imports it.
 */
type Generate = (rows: number, seed: number) => SyntheticFile;

interface Generator {
  /** The same arguments give the same bytes on every machine. */
  readonly generate: Generate;
  /** Another layout of the register, which fills other fields. */
  readonly generateOther?: Generate;
  /** The files of the parties of the same companies, by set or part of a set. */
  readonly generateParties?: (rows: number, seed: number) => Readonly<Record<string, SyntheticFile>>;
}

const generators: Readonly<Record<string, Generator>> = {
  ar: { generate: ar },
  au: { generate: au },
  be: { generate: be },
  br: { generate: br },
  ca: { generate: ca },
  cl: { generate: cl },
  cz: { generate: cz },
  ee: { generate: ee, generateOther: eeOther, generateParties: eeParties },
  fi: { generate: fi },
  fr: { generate: fr },
  gb: { generate: gb, generateParties: gbParties },
  gleif: { generate: gleif, generateParties: gleifParties },
  ie: { generate: ie },
  il: { generate: il },
  jp: { generate: jp },
  lt: { generate: lt },
  lv: { generate: lv, generateParties: lvParties },
  md: { generate: md },
  no: { generate: no, generateParties: noParties },
  pe: { generate: pe },
  ro: { generate: ro },
  se: { generate: se },
  sg: { generate: sg },
  si: { generate: si },
  sk: { generate: sk },
  tw: { generate: tw },
  ua: { generate: ua },
  'us-co': { generate: usCo },
  'us-fl': { generate: usFl },
  'us-ia': { generate: usIa },
  'us-ny': { generate: usNy },
};

function findGenerator({ id }: Pick<Register, 'id'>): Generator {
  const found = generators[id];
  if (found === undefined)
    throw new Error(`${id} has no generator: add synthetic/registers/${id}.ts to synthetic/generators.ts`);
  return found;
}

/** Generates a file with so many companies. */
export function generateFile(register: Pick<Register, 'id'>, rows: number, seed: number): SyntheticFile {
  return findGenerator(register).generate(rows, seed);
}

/** The files of the parties of the companies in the generated file, by set. */
export function generateParties(register: Pick<Register, 'id'>, rows: number, seed: number) {
  return findGenerator(register).generateParties?.(rows, seed) ?? {};
}

/** All generators of a register, the main layout first. */
export function listGenerators(register: Pick<Register, 'id'>): readonly Generate[] {
  const { generate, generateOther } = findGenerator(register);
  return generateOther === undefined ? [generate] : [generate, generateOther];
}
