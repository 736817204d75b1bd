import assert from 'node:assert/strict';
import type { Db } from '../../src/base/db/db.ts';
import { readActivities } from '../../src/registers/classifications/activities.ts';
import { LEI_REGISTER, readForm } from '../../src/registers/classifications/elf.ts';
import { type ClassifiableActivity, classifyActivity, findIsic } from '../../src/registers/classifications/isic.ts';
import { levelOf } from '../../src/registers/classifications/isic-code.ts';
import type { Register } from '../../src/registers/contract.ts';

const BAR = 0.98;
const CLASSIFIED = ['gb', 'ie', 'be', 'fr', 'cz', 'ro', 'ee', 'fi', 'no', 'md', 'br', 'sg', 'si', 'sk', 'se'];
/** Schemes that no official table connects with ISIC. */
const WITHOUT_TABLE = ['稅務行業', 'RSUD', 'NAP', 'CLAE'];

/** Every activity code of the stored records has an ISIC code, or a reason why not, and every legal form a class. */
export async function assertClassified(db: Db, { id }: Register): Promise<void> {
  const rows = await db.all<{ registry: string }>('SELECT registry FROM entities WHERE register = $1', [id]);
  const companies = rows.map(({ registry }) => readActivities(registry));
  await requireForms(db, id);
  const undecided = companies.flat().filter(isUndecided);
  assert.deepEqual([...new Set(undecided.map((one) => JSON.stringify(one)))], []);

  const coded = companies.filter((list) => list.some(isIndustry));
  const found = coded.filter((list) => list.some(hasDivision));
  assert.ok(coded.length === 0 || CLASSIFIED.includes(id), 'add the register to those with activities');
  assert.ok(found.length >= BAR * coded.length, `${found.length} of ${coded.length}`);
}

/** LEI records have a code of their own; any other form of the files has a row in the table. */
async function requireForms(db: Db, register: string): Promise<void> {
  if (register === LEI_REGISTER) return;
  const forms = await db.all<{ legalForm: string; legalFormCode: string | null }>(
    `SELECT DISTINCT legal_form AS "legalForm", legal_form_code AS "legalFormCode" FROM entities
      WHERE register = $1 AND legal_form IS NOT NULL`,
    [register],
  );
  const undecided = forms.filter(
    ({ legalForm, legalFormCode }) => readForm(register, legalFormCode, legalForm).legalFormClass === null,
  );
  assert.deepEqual(undecided, [], 'every legal form has a row in legal-forms.tsv');
}

/** Neither classified nor excluded for a reason that is part of the tables. */
function isUndecided(activity: ClassifiableActivity): boolean {
  const { isic, isicNote = '' } = classifyActivity(activity);
  if (isic !== undefined || activity.code === undefined) return false;
  if (isicNote.startsWith('no official table connects edition')) return false;
  return /^no official table|^the code is not|^the source does not say/.test(isicNote)
    ? !WITHOUT_TABLE.includes(activity.scheme ?? '')
    : false;
}

/** Without codes of publishers that say that there is no activity, and without old editions that no table connects. */
function isIndustry(activity: ClassifiableActivity): boolean {
  if (activity.code === undefined || activity.type === 'licensed') return false;
  return !/^Companies House|^no official table/.test(classifyActivity(activity).isicNote ?? '');
}

function hasDivision(activity: ClassifiableActivity): boolean {
  const code = findIsic(activity);
  return code !== undefined && levelOf(code) !== 'section';
}
