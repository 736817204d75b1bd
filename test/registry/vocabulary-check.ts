import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';
import { collectUsage, type FieldUsage, listFound, type StoredFields } from '../../scripts/field-usage.ts';
import type { Db } from '../../src/base/db/db.ts';
import { RegistryFields, registrationTypes } from '../../src/registers/vocabulary.ts';
import { isDeep } from '../harness/depth.ts';

const registryFields = Compile(RegistryFields);

/** Every stored record has the common fields in their shape, no empty field, and only known types of numbers. */
export async function assertVocabulary(db: Db, register: string): Promise<void> {
  const stored = await db.all<StoredFields>(
    'SELECT status, registry, registrations FROM entities WHERE register = $1',
    [register],
  );
  // The usage is that of all registers, which takes as long as all other checks. test/docs.test.ts compares it with the page.
  if (isDeep) await assertDocumented(stored, register);
  for (const { registry, registrations } of stored) {
    const fields = JSON.parse(registry);
    if (!registryFields.Check(fields)) {
      const [, errors] = registryFields.Errors(fields);
      assert.fail(`${register}: registry is not in the shape of the vocabulary: ${JSON.stringify(errors)} ${registry}`);
    }
    assert.deepEqual(listEmptyFields(fields), [], `${register}: empty fields are left out of registry`);
    assert.deepEqual(listOldNames(fields), [], `${register}: the vocabulary has a name for these`);
    for (const { type, number } of JSON.parse(registrations)) {
      assert.ok(type in registrationTypes, `${register}: unknown type of number "${type}" (${number})`);
    }
  }
}

/** The generated file of the register fills these fields, so that `docs/registers/fields.md` lists the register with them. */
async function assertDocumented(stored: readonly StoredFields[], register: string): Promise<void> {
  usage ??= collectUsage();
  const documented = await usage;
  const missing = [...listFound(stored)].filter(
    (found) => !found.startsWith('status=') && !documented.get(found)?.includes(register),
  );
  assert.deepEqual(
    missing,
    [],
    `${register}: the generator never produces these. Change it, or add them to ONLY_OFFICIAL in scripts/field-usage.ts; then run "npm run generate:docs"`,
  );
}

let usage: Promise<FieldUsage> | undefined;

function listEmptyFields(fields: Readonly<Record<string, unknown>>, path = ''): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || value === '') return [`${path}${name}`];
    if (typeof value !== 'object') return [];
    const inner = value as Readonly<Record<string, unknown>>;
    return Object.keys(inner).length === 0 ? [`${path}${name}`] : listEmptyFields(inner, `${path}${name}.`);
  });
}

/** Names for facts that the vocabulary names differently. */
const OLD_NAMES = new Set(
  `numberValid vatNumber taxNumber abn businessNumber email emails phone phones mobile fax faxes website websites
   dissolvedAt deregisteredAt terminatedAt liquidatedAt deletedAt legalFormCode legalFormName statusCode statusSince
   directors founders beneficialOwners partners representatives officers signers postalAddress otherAddresses
   tradeName otherName businessName nace nace2025 declaredActivities listedActivities sectorCode sizeClass sizeClassCode
   endReason endReasonCode statusReason statusDetail situation situationCode abnValid stateNumber otherContacts
   euId usualNames acronym mainActivity mainBusinessLine naf2025 naceCode seatSiret seatSiretValid parallelNames auxiliaryNames
   legalFormNames legalAddress headquartersAddress transliteratedNames successor successorLei expiredAt entityStatus`.split(
    /\s+/,
  ),
);

function listOldNames(fields: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(fields).filter((name) => OLD_NAMES.has(name));
}
