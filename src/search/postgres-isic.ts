import { hash } from 'node:crypto';
import { DIVISION_FAMILY, listRules } from '../classifications/isic.ts';
import type { Db } from '../db/db.ts';
import type { IsicCounts } from './choices.ts';
import { activitiesJson } from './store.ts';

/**
 * The ISIC codes of an entity with the codes that contain them, computed in PostgreSQL: `{J,62,620,6201}`. An index takes no subquery,
 * but a function with one. The function contains the tables, so its results follow from its argument alone.
 */
function writeBody(): string {
  const { families, codes, own } = listRules();
  const literal = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`;
  // OFFSET 0 keeps PostgreSQL from looking a code up once for each of its parts.
  return `
    SELECT coalesce(array_agg(DISTINCT part), '{}')
    FROM (
      SELECT ${literal(Object.fromEntries(codes))} ->> (family || '|' || substring(replace(code, '.', '')
        from CASE family WHEN '${DIVISION_FAMILY}' THEN '^[0-9]{2}' ELSE '^(?:[0-9]{2,4}|[A-V]$)' END)) AS isic
      FROM (
        SELECT ${literal(Object.fromEntries(families))} ->> (scheme || '|' || coalesce(edition, '')) AS family, code
        FROM json_to_recordset(${activitiesJson.postgres}::json) AS activity (scheme text, edition text, code text, type text)
        WHERE type IS DISTINCT FROM 'licensed' AND NOT (${literal(own)} ? (scheme || '|' || code)) OFFSET 0
      ) AS related OFFSET 0
    ) AS classified
    CROSS JOIN LATERAL unnest(
      ARRAY[substr(isic, 1, 1), substr(isic, 2, 2), substr(isic, 2, 3), substr(isic, 2, 4)]
    ) AS part
    WHERE part <> ''`;
}

const BODY = writeBody();
/** Indexes hold results of the function, so a function with other tables has another name. */
const VERSION = hash('sha256', BODY).slice(0, 16);

export const ISIC_INDEX = `entities_isic_${VERSION}`;
export const ISIC_CODES = `isic_codes_${VERSION}(registry)`;
/** Not in SQL: the planner would read the tables in every statement, to see whether the function can be inlined. */
export const CREATE_ISIC_CODES = `CREATE OR REPLACE FUNCTION isic_codes_${VERSION}(registry text) RETURNS text[]
  LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN RETURN (${BODY}); END $$`;

/** Counts the entities of each ISIC code, and those of each register that have one. */
export async function countIsic(db: Db): Promise<IsicCounts> {
  const codes = new Map<string, number>();
  const registers = new Map<string, number>();
  await db.snapshot(async (view) => {
    const sql = `
      WITH classified AS MATERIALIZED (SELECT register, ${ISIC_CODES} AS codes FROM entities)
      SELECT TRUE, code, count(*) FROM classified CROSS JOIN unnest(codes) AS code GROUP BY code
      UNION ALL SELECT FALSE, register, count(*) FROM classified WHERE codes <> '{}' GROUP BY register`;
    for await (const rows of view.stream(sql)) {
      for (const [isCode, value, entities] of rows as [boolean | number, string, number][]) {
        (isCode ? codes : registers).set(value, Number(entities));
      }
    }
  });
  return { codes, registers };
}
