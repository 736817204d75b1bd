/**
 * Parses the three lists of people: directors, founders and beneficial owners. Each list is a cell of free text. Items that
 * follow the pattern are split into fields; anything else stays unchanged in `name`, so that no word of the source is
 * lost.
 */
import { fold } from '../../base/fold.ts';
import type { EntityStatus } from '../contract.ts';
import type { State } from '../fields.ts';
import { linkByNumber, type RecordParty, readRecordParty, readUnnamed } from '../mapped.ts';
import type { PartyOf } from '../vocabulary.ts';

// A bracket ends an item only if a comma or the end of the text follows. Other brackets are part of a name.
const ROLE = /\[([^[\]]*)\]\s*(?:[,;]|$)/g;
const COUNTRY = /\(\s*(\w{2,3})\s*\)\s*(?:[,;]|$)/g;
// A run of white space or brackets before a match is bounded: otherwise a cell full of such characters takes quadratic time.
const SHARE = /\(\s{0,20}(\d+(?:[.,]\d+)?)?\s{0,20}%\s*\)/g;
const IDNO = /[\s,(]{0,20}\bIDNO\s*:?\s*(\d{13})\b[\s,.;)]*/i;
const GROUP = /^(?:TOTAL|MEMBRII|COLECTIVUL)\b/i;
const MEMBERS = /\b(\d+) MEMBRI/i;
const STATE = /^STATUL\b/i;
/** Text after a comma that continues the name before it: a legal form, a number or an address. */
const TAIL =
  /^(?:s\.? ?r\.? ?l\.?|s\.? ?a\.?|ltd\.?|llc|inc\.?|gmbh|idno\b.*|md-?\d.*|nr\b.*|\d.*|(?:str|bd|mun|or|com|sec|ap|of|bl)\..*|strada .*)$/i;
/** Matches the folded name of an organisation. Names of natural persons have no quotation marks and none of these words. */
const ORGANISATION =
  /"|\b(?:s\.? ?r\.? ?l|i\.? ?c\.? ?s|ltd|limited|llc|inc|gmbh|plc|company|holding|grou?p|banca|bank|fondul|fund|firma|societate|societatea|intreprinderea|cooperativa|asociatia|uniunea|fundatia|consiliul|primaria|ministerul|agentia|institutul|universitatea)\b/;
/** Matches a text that also names somebody who acts for the organisation. */
const REPRESENTED = /\b(?:prin|reprezentant\w*)\b/;
/** A folded text of founders that begins with a public body, up to a share. After a comma, the text may name somebody else. */
const PUBLIC_BODY =
  /^\s*(?:consiliul|primaria|ministerul|agentia|guvernul|statul)\b[^,;()]*(?:\(\s*[\d.,]*\s*%\s*\)\s*)?$/;
const NOT_A_PERSON = /[\d()&%]|\b(?:s\.? ?a|statul|total|membrii|colectivul)\b/;

/** A director's role by a fragment of its folded text, and the status that it implies. The first match counts. */
const ROLES: readonly (readonly [piece: string, role: PartyOf['role'], status: EntityStatus])[] = [
  ['lichid', 'liquidator', 'in_liquidation'],
  ['insolv', 'insolvency_administrator', 'insolvent'],
  ['procedurii planului', 'insolvency_administrator', 'insolvent'],
  ['administrator provizoriu', 'insolvency_administrator', 'insolvent'],
];

interface Director {
  readonly name: string;
  readonly roleLabel: string;
}

/** The list that was parsed last: both the status and the parties of a company are read from its list. */
const lastList: { text: string; directors: readonly Director[] } = { text: '', directors: [] };

/** `NAME [Role], NAME [Role]`; before 2023 only names. */
function parseDirectors(text: string): readonly Director[] {
  if (lastList.text === text) return lastList.directors;
  const directors: Director[] = [];
  const rest = eachItem(text, ROLE, (name, roleLabel) => directors.push({ name, roleLabel }));
  for (const name of splitNames(rest)) directors.push({ name, roleLabel: '' });
  Object.assign(lastList, { text, directors });
  return directors;
}

export function readDirectors(text: string): PartyOf[] {
  return parseDirectors(text).map(describeDirector);
}

function describeDirector({ name, roleLabel }: Director): PartyOf {
  const kind = isOrganisationName(name) && { kind: 'organisation' as const };
  if (roleLabel === '') return { role: 'director', ...kind, name };
  if (roleLabel === 'Administrator') return { role: 'director', ...kind, name, roleLabel };
  const text = fold(roleLabel);
  return { role: ROLES.find(([piece]) => text.includes(piece))?.[1] ?? 'director', roleLabel, ...kind, name };
}

/** The status that the roles of directors imply, and the role that implies it. */
export function inferStatus(text: string): State {
  const unusual = parseDirectors(text).filter(({ roleLabel }) => roleLabel !== '' && roleLabel !== 'Administrator');
  if (unusual.length === 0) return { status: 'active' };
  for (const [piece, , status] of ROLES) {
    const found = unusual.find(({ roleLabel }) => fold(roleLabel).includes(piece));
    if (found !== undefined) return { status, inferredFrom: found.roleLabel };
  }
  return { status: 'active' };
}

/** The maximum number of joint owners of a share. Each owner lists all other owners. */
const MAX_JOINT = 100;

/**
 * `NAME (40,00%), NAME (30,00%)`, or only names. `share` is a percentage that the founder holds alone. The register does not say how the
 * `jointShare` of several founders is divided.
 */
export function readFounders(text: string): PartyOf[] {
  const founders: PartyOf[] = [];
  const rest = eachItem(text, SHARE, (holders, percent) => {
    const share = Number(percent.replace(',', '.'));
    const names = splitNames(holders);
    const areJoint = names.length > 1 && names.length <= MAX_JOINT && names.every(isPersonName);
    for (const [index, name] of (areJoint ? names : [holders]).entries()) {
      const holding = areJoint ? { jointShare: share, jointWith: names.toSpliced(index, 1) } : { share };
      founders.push(describeFounder(name, percent === '' ? {} : holding));
    }
  });
  for (const name of splitNames(rest)) founders.push(describeFounder(name, {}));
  return founders;
}

function describeFounder(text: string, holding: object): PartyOf {
  const isState = STATE.test(text);
  // A group is a placeholder for several founders, such as "TOTAL 71 MEMBRI", which the register does not name.
  const isGroup = !isState && GROUP.test(text);
  const embedded = isState || isGroup ? null : IDNO.exec(text);
  const name = embedded === null ? text : tidy(text.slice(0, embedded.index)) || text;
  const number = embedded?.[1];
  // Usually an address.
  const details = embedded === null ? '' : tidy(text.slice(embedded.index + embedded[0].length));
  const members = isGroup ? MEMBERS.exec(text)?.[1] : undefined;
  const isNamed = isState || number !== undefined || isOrganisationName(name);
  return {
    role: 'founder',
    ...(!isGroup && isNamed && !namesSeveral(name) && { kind: 'organisation' as const }),
    name,
    ...(number !== undefined && { number }),
    ...(isState && { state: true }),
    ...(isGroup && { group: true }),
    ...(members !== undefined && { members: Number(members) }),
    ...(details !== '' && { details }),
    ...holding,
  };
}

/** `NAME (CC), NAME (CC)`: CC is the code of the country of residence, for which `nameCountry` returns the name, if there is one. */
export function readOwners(
  text: string,
  nameCountry: (code: string) => string | undefined = () => undefined,
): PartyOf[] {
  const owners: PartyOf[] = [];
  const rest = eachItem(text, COUNTRY, (name, code) => {
    const isCode = /^[A-Z]{2}$/.test(code);
    const country = nameCountry(code) ?? (isCode ? undefined : code);
    owners.push({
      ...{ role: 'beneficial_owner', kind: 'person', name },
      ...(country !== undefined && { country }),
      ...(isCode && { countryCode: code }),
    });
  });
  for (const name of splitNames(rest)) owners.push({ role: 'beneficial_owner', kind: 'person', name });
  return owners;
}

/** The register lists only current parties. Founders with a share are owners of the company. */
export function readListed(party: PartyOf): RecordParty {
  if (party.group === true) return readUnnamed(party, 'not_disclosed');
  const { jointShare } = party;
  return readRecordParty(party, {
    ...linkByNumber(party, 'md', /^\d{13}$/),
    ...(typeof jointShare === 'number' && { interests: [{ type: 'shares', share: { max: jointShare } }] }),
  });
}

/** Passes the text before each mark, or else the mark itself, and what is in the mark to `take`. Returns the text after the last mark. */
function eachItem(text: string, mark: RegExp, take: (before: string, inside: string) => void): string {
  let start = 0;
  // `matchAll` makes a new regular expression and an iterator for each text.
  mark.lastIndex = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    take(tidy(text.slice(start, match.index)) || tidy(match[0]), tidy(match[1] ?? ''));
    start = mark.lastIndex;
  }
  return text.slice(start);
}

/** A person's name has at least two words: `DUPONT ERIC, MARCEL, LOUIS` is one person. */
function isPersonName(name: string): boolean {
  const folded = fold(name);
  return name.includes(' ') && !ORGANISATION.test(folded) && !NOT_A_PERSON.test(folded);
}

/** Whether a name is certainly the name of an organisation. If a text has several names, every name must be. */
function isOrganisationName(name: string): boolean {
  if (name.includes(',')) return splitNames(name).every(isOrganisation);
  return isOrganisation(name);
}

function isOrganisation(name: string): boolean {
  const folded = fold(name);
  return ORGANISATION.test(folded) && !REPRESENTED.test(folded);
}

/** Whether the text may name somebody besides the organisation that it certainly names. */
function namesSeveral(name: string): boolean {
  return name.includes(',') && splitNames(name).length > 1 && !isOrganisationName(name);
}

/** Whether a text of founders names a public body, such as a council, and nobody else. */
export function namesOnlyPublicBody(text: string): boolean {
  const folded = fold(text);
  return PUBLIC_BODY.test(folded) && !REPRESENTED.test(folded);
}

/** Splits at commas, except inside quotes or brackets (unless these never close) and before the tail of a name. */
function splitNames(text: string): string[] {
  if (!text.includes(',')) return [tidy(text)].filter((name) => name !== '');
  const names: string[] = [];
  const closes = !isOpen(countMarks(text, [0, 0]));
  // The marks of the last name, kept up to date: counting them again for every comma takes quadratic time.
  let marks: Marks = [0, 0];
  for (const part of text.split(',')) {
    const last = names.at(-1);
    const isContinued = last !== undefined && ((closes && isOpen(marks)) || TAIL.test(tidy(part)));
    marks = countMarks(part, isContinued ? marks : [0, 0]);
    if (isContinued) names[names.length - 1] = `${last},${part}`;
    else names.push(part);
  }
  return names.map(tidy).filter((name) => name !== '');
}

type Marks = readonly [quotes: number, brackets: number];

function isOpen([quotes, brackets]: Marks): boolean {
  return quotes % 2 === 1 || brackets > 0;
}

function countMarks(text: string, [quotes, brackets]: Marks): Marks {
  const count = (marks: RegExp) => text.match(marks)?.length ?? 0;
  return [quotes + count(/["„“”«»]/g), brackets + count(/\(/g) - count(/\)/g)];
}

/** Trims commas, semicolons and white space, and collapses white space inside. Uses loops for speed, because the function runs for every person. */
function tidy(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text.charCodeAt(start))) start++;
  while (end > start && isEdge(text.charCodeAt(end - 1))) end--;
  const inner = text.slice(start, end);
  return UNEVEN.test(inner) ? inner.replace(SPACE, ' ') : inner;
}

function isEdge(code: number): boolean {
  return code <= 32 || code === 0x2c || code === 0x3b || code === 0xa0;
}

const UNEVEN = /\s\s|[^\S ]/;
const SPACE = /\s+/g;
