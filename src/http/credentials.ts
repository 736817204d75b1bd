/** The token of an `Authorization: Bearer` header; undefined if the header is missing or has another scheme. */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(authorization ?? '')?.[1]?.trim();
}
