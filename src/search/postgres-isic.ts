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
  return `
    SELECT coalesce(array_agg(DISTINCT part), '{}')
    FROM json_array_elements(${activitiesJson.postgres}::json) AS activity
    CROSS JOIN LATERAL (SELECT activity ->> 'scheme' AS scheme, activity ->> 'code' AS code) AS published
    CROSS JOIN LATERAL (
      SELECT ${literal(Object.fromEntries(families))} ->> (scheme || '|' || coalesce(activity ->> 'edition', '')) AS family
    ) AS related
    CROSS JOIN LATERAL (
      SELECT ${literal(Object.fromEntries(codes))} ->> (family || '|' || substring(replace(code, '.', '')
        from CASE family WHEN '${DIVISION_FAMILY}' THEN '^[0-9]{2}' ELSE '^[0-9]{2,4}' END)) AS found
    ) AS classified
    CROSS JOIN LATERAL unnest(
      ARRAY[substr(found, 1, 1), substr(found, 2, 2), substr(found, 2, 3), substr(found, 2, 4)]
    ) AS part
    WHERE activity ->> 'type' IS DISTINCT FROM 'licensed' AND part <> '' AND NOT (${literal(own)} ? (scheme || '|' || code))`;
}

const BODY = writeBody();
/** Indexes hold results of the function, so a function with other tables has another name. */
const VERSION = hash('sha256', BODY).slice(0, 16);

export const ISIC_INDEX = `entities_isic_${VERSION}`;
/** Indexes of earlier tables and of earlier versions of this program. */
export const FORMER_ISIC_INDEX = /^entities_(?:activity_classes|isic_[0-9a-f]{16})$/;
export const ISIC_CODES = `isic_codes_${VERSION}(registry)`;
export const CREATE_ISIC_CODES = `CREATE OR REPLACE FUNCTION isic_codes_${VERSION}(registry text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ ${BODY} $$`;

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
