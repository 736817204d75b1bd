import type { Queries } from '../../db/db.ts';

/** The SQL about the legal forms of all companies. Each statement reads every entity, so it is for commands. */

/** A national form as stored. */
export interface StoredForm {
  readonly register: string;
  readonly legalForm: string | null;
  readonly legalFormCode: string | null;
  readonly entities: number;
}

/** How many entities of each register have each form. */
export async function countForms(db: Queries): Promise<StoredForm[]> {
  return db.all<StoredForm>(
    `SELECT register, legal_form AS "legalForm", legal_form_code AS "legalFormCode", count(*) AS entities FROM entities
      GROUP BY register, legal_form, legal_form_code ORDER BY register, entities DESC, legal_form`,
  );
}

export interface LinkedForm extends StoredForm {
  /** The code of the form in the LEI record of the same company. */
  readonly leiForm: string;
}

/** How many companies of each national form have an LEI record with each form. */
export async function countLinkedForms(db: Queries, leiRegister: string): Promise<LinkedForm[]> {
  return db.all<LinkedForm>(
    `SELECT n.register, n.legal_form AS "legalForm", n.legal_form_code AS "legalFormCode", l.legal_form_code AS "leiForm",
        count(DISTINCT n.id) AS entities
      FROM links JOIN entities l ON l.id = links.from_id JOIN entities n ON n.id = links.to_id
      WHERE l.register = $1 AND l.legal_form_code IS NOT NULL
      GROUP BY n.register, n.legal_form, n.legal_form_code, l.legal_form_code
      ORDER BY n.register, n.legal_form, n.legal_form_code, l.legal_form_code`,
    [leiRegister],
  );
}
