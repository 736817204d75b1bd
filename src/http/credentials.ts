/** The token of an `Authorization: Bearer` header; undefined for another scheme, or none. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
}
