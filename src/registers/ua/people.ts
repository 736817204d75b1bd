/**
 * Founders, owners, heads and others as `registry.parties`. A party is one text: the name, and after a comma or semicolon
 * an EDRPOU number, an address and a contribution. In some layouts a party is an object.
 */
import type { Json } from '../contract.ts';
import { linkByNumber, type RecordParty, readRecordParty, readUnnamed } from '../mapped-party.ts';
import { compact, readAmount, readDate, readText, type Tree, textOf, treeOf } from '../parsing.ts';
import type { PartyOf } from '../vocabulary.ts';

/** `розмір частки - 500,00 грн.`, `розмір внеску до статутного фонду - 495.60 грн.` */
const CONTRIBUTION = /^розмір (?:частки|внеску[^-]*?)\s*-\s*([\d\s]+(?:[.,]\d+)?)\s*грн\.?$/i;
const OWNER = /^(кінцевий бенефіціарний власник(?:\s*\(контролер\))?)\s*[-–]\s*(.+)$/isu;
const SIGNER = /^(.*?)\s+-\s+(.+)$/su;
const HEAD = /керівник|директор|голова|президент/i;

/** The texts and objects of a list such as FOUNDERS/FOUNDER. */
export function listItems(subject: Tree, list: string, item: string): readonly (string | Tree)[] {
  const own = textOf(subject, list);
  const value = treeOf(subject, list)[item];
  const items: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const found = items.flatMap((entry): (string | Tree)[] => {
    if (typeof entry === 'string') return entry.trim() === '' ? [] : [entry.trim()];
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? [entry as Tree] : [];
  });
  return own === '' ? found : [own, ...found];
}

export function listParties(subject: Tree): PartyOf[] {
  const boss = readText(textOf(subject, 'BOSS'));
  const started = readText(textOf(treeOf(subject, 'TERMINATION_STARTED_INFO'), 'SIGNER_NAME'));
  const bankruptcy = treeOf(subject, 'BANKRUPTCY_READJUSTMENT_INFO');
  const administrator =
    readText(textOf(bankruptcy, 'SIGNER_NAME')) ?? readText(textOf(bankruptcy, 'BANKRUPTCY_READJUSTMENT_HEAD_NAME'));
  return [
    ...(boss === null ? [] : [{ role: 'director' as const, ...compact({ kind: findPerson(boss) }), name: boss }]),
    ...listItems(subject, 'SIGNERS', 'SIGNER').map(readSigner),
    ...listItems(subject, 'FOUNDERS', 'FOUNDER').map((item) => readParty('founder', item)),
    ...listItems(subject, 'BENEFICIARIES', 'BENEFICIARY').map(readOwner),
    ...listItems(subject, 'MEMBERS', 'MEMBER').map((item) => readParty('member', item)),
    ...(started === null ? [] : [{ role: 'liquidator' as const, name: started }]),
    ...(administrator === null ? [] : [{ role: 'insolvency_administrator' as const, name: administrator }]),
  ];
}

/**
 * A signer is one text with name, position, day of appointment and notes in several orders:
 * `НАЗВА - керівник`, `НАЗВА; 21.10.2013 - керівник`, `НАЗВА (Повноваження: …), 21.10.2013 - підписант`.
 */
function readSigner(item: string | Tree): PartyOf {
  if (typeof item !== 'string') return readParty('representative', item);
  const { text, notes } = takeNotes(item);
  const days = text.match(DAY) ?? [];
  const from = readDate(days[0] ?? '');
  const plain = text.replace(DAY, ' ');
  const [, before = plain, position = ''] = SIGNER.exec(plain) ?? [];
  const [name = '', ...others] = splitOutsideQuotes(before);
  const [roleLabel = '', ...more] = splitOutsideQuotes(position);
  // A day that does not exist, and any further day, stays with the notes.
  const details = [...others, ...more, ...days.slice(from === null ? 0 : 1), ...notes];
  return {
    role: HEAD.test(roleLabel) ? 'director' : 'representative',
    ...compact({ roleLabel, kind: findPerson(name) }),
    name: name || '?',
    ...compact({ from, details: details.join(', ') }),
  };
}

const DAY = /\b\d{2}\.\d{2}\.\d{4}\b/g;

/** Notes in parentheses, which may have parentheses inside. A parenthesis that is never closed is part of the text. */
function takeNotes(item: string): { text: string; notes: readonly string[] } {
  const notes: string[] = [];
  const text = item.replace(NOTE, (_note, inner: string) => {
    notes.push(inner.replace(/\s+/g, ' ').trim());
    return ' ';
  });
  return { text, notes };
}

const NOTE = /\(((?:[^()]|\([^()]*\))*)\)/g;

function readOwner(item: string | Tree): PartyOf {
  if (typeof item !== 'string') return readParty('beneficial_owner', item);
  const [, roleLabel, rest] = OWNER.exec(item) ?? [];
  const party = readParty('beneficial_owner', rest ?? item);
  return roleLabel === undefined ? party : { ...party, roleLabel };
}

function readParty(role: PartyOf['role'], item: string | Tree): PartyOf {
  if (typeof item !== 'string') {
    const { NAME: _name, CODE: _code, ...details } = item;
    return describe(role, textOf(item, 'NAME'), textOf(item, 'CODE'), compact({ details: details as Json }));
  }
  const [name = item, ...rest] = splitOutsideQuotes(item);
  let number = '';
  let contribution: number | null = null;
  const details: string[] = [];
  for (const part of rest) {
    const amount = CONTRIBUTION.exec(part)?.[1];
    // A number that does not follow the name may be the number of another party in the text.
    if (part === rest[0] && /^\d{8}$/.test(part)) number = part;
    else if (amount !== undefined) contribution = readAmount(amount.replaceAll(/\s/g, ''));
    else details.push(part);
  }
  return describe(role, name, number, {
    ...(contribution !== null && { contribution: { amount: contribution, currency: 'UAH' } }),
    ...compact({ details: details.join(', ') }),
  });
}

/** A party without a name is shown by its number, or as `?` if it has neither; `details` has the rest. */
function describe(
  role: PartyOf['role'],
  name: string,
  number: string,
  more: { readonly [name: string]: Json },
): PartyOf {
  const isNamed = role !== 'beneficial_owner' && ORGANISATION.test(name);
  const isOrganisation = isNamed || (number !== '' && findPerson(name) === null);
  return {
    role,
    ...compact({ kind: isOrganisation ? ('organisation' as const) : findPerson(name) }),
    name: name === '' ? number || '?' : name,
    ...compact({ number }),
    ...more,
  };
}

/** Three words of which the last is a patronymic: `КОВАЛЬ ІРИНА ПЕТРІВНА`. */
function findPerson(name: string): 'person' | null {
  return PERSON.test(name) ? 'person' : null;
}

const PERSON = /^[\p{L}'’-]+ [\p{L}'’-]+ \p{L}+(?:вич|ьич|кич|міч|мич|івна|ївна|овна|евна|ічна)$/iu;

/** A legal form or the like, then the name in quotation marks: `ТОВ "РОГИ ТА КОПИТА"`. */
const ORGANISATION =
  /^(?:ТОВ|ТОВАРИСТВО|АТ|ПАТ|ПРАТ|АКЦІОНЕРНЕ|ПРИВАТНЕ|ПУБЛІЧНЕ|ДЕРЖАВНЕ|ДП|КОМУНАЛЬНЕ|КП|КОМПАНІЯ|ФІРМА|КОРПОРАЦІЯ|КОНЦЕРН|АСОЦІАЦІЯ|ФОНД|БАНК)\s.*["»”]$/iu;

/** The parts between commas and semicolons, except in quotes and between the digits of an amount (`500,00`). */
function splitOutsideQuotes(text: string): string[] {
  const parts = text.match(/(?:"[^"]*(?:"|$)|«[^»]*(?:»|$)|[^,;"«]|,(?=\d))+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** Texts for several people without their names, and placeholders. */
const PEOPLE = /^(?:фізичні особи|невизначена фізична особа|члени профспілки|релігійна громада)/iu;
const PLACEHOLDER = /^(?:\[засновник\]|0 0|\?)$/iu;
const NO_OWNER = /^причина відсутності/iu;

/** The founders of the list are the current participants. The list has their contributions, but no percentages. */
export function readListed(party: PartyOf): RecordParty | null {
  const { name, contribution } = party;
  if (PLACEHOLDER.test(name)) return null;
  if (NO_OWNER.test(name)) return readUnnamed(party, 'not_disclosed');
  if (PEOPLE.test(name)) return readUnnamed(party, 'persons');
  return readRecordParty(party, {
    ...linkByNumber(party, 'ua', /^\d{8}$/),
    ...(contribution !== undefined && { interests: [{ type: 'shares', share: null }] }),
  });
}
