/** The fields of `registry` that take more than reading one column. */
import { fold } from '../../core/fold.ts';
import type { Cell, JoinedRows } from '../contract.ts';
import { findCountryCode } from '../country-code.ts';
import { compact, joinFilled, readText } from '../parsing.ts';
import type { AddressOf, PartyOf } from '../vocabulary.ts';

/** `Şos. VIRTUŢII nr. 148, bl. B2, sc. A, et. 3, ap. 12, 060787 Bucureşti Sectorul 6` */
export function readAddress(cell: Cell): AddressOf | null {
  const read = (column: string) => readText(cell(`ADR_${column}`));
  const [street, number, block, sector] = [read('DEN_STRADA'), read('NR_STRADA'), read('BLOC'), read('SECTOR')];
  const [staircase, floor, apartment] = [read('SCARA'), read('ETAJ'), read('APARTAMENT')];
  const [place, region, country] = [read('LOCALITATE'), read('JUDET'), read('TARA')];
  const isRomania = fold(country ?? '') === 'romania';
  // Codes of Bucharest begin with a zero, which some rows have lost.
  const postCode = isRomania ? (read('COD_POSTAL')?.replace(/^\d{5}$/, '0$&') ?? null) : read('COD_POSTAL');
  const details = read('COMPLETARE');
  const unit = joinFilled([label('sc.', staircase), label('et.', floor), label('ap.', apartment)], ', ');
  const { city, district = label('Sectorul', sector) } = splitSector(place);
  const parts = [
    joinFilled([street, label('nr.', number)], ' '),
    label('bl.', block),
    unit,
    details,
    joinFilled([postCode, place], ' '),
    // The place may include its sector, and Bucharest is its own region.
    city === place ? district : null,
    fold(place ?? '').startsWith(fold(region ?? '')) ? null : region,
    isRomania ? null : country,
  ];
  const text = joinFilled(parts, ', ');
  if (text === '') return null;
  return {
    text,
    ...compact({ building: block, street, number, unit, district, postCode, city, region, country }),
    ...compact({ countryCode: isRomania ? 'RO' : findCountryCode(country ?? '', LANGUAGES) }),
    ...compact({ staircase, floor, apartment, details }),
  };
}

/** Bucharest is one city, of which some rows name the sector: `Bucureşti Sectorul 6`. */
export function splitSector(place: string | null): { readonly city: string | null; readonly district?: string } {
  const [, city, number] = SECTOR.exec(place ?? '') ?? [];
  return city === undefined ? { city: place } : { city, district: `Sectorul ${number}` };
}

const SECTOR = /^(bucure[sşș]ti)[\s,]+sector(?:ul)?\s*([1-6])$/iu;

const LANGUAGES = ['ro'];

function label(word: string, value: string | null): string | null {
  return value === null ? null : `${word} ${value}`;
}

/** By words in the text of the role, the first match counts. */
const ROLES: ReadonlyArray<readonly [RegExp, PartyOf['role']]> = [
  [/^reprezentant/, 'representative'],
  [/lichidator/, 'liquidator'],
  [/judiciar|special|concordatar/, 'insolvency_administrator'],
  [/administrator|director|presedinte|consiliu|directorat|manager/, 'director'],
];

/** Dates and places of birth are left out: they are in `sourceData` only. */
export function listRepresentatives(rows: JoinedRows): PartyOf[] {
  return rows('OD_REPREZENTANTI_LEGALI').flatMap((row): PartyOf[] => {
    const name = readText(row('PERSOANA_IMPUTERNICITA'));
    if (name === null) return [];
    const roleLabel = readText(row('CALITATE'));
    const words = fold(roleLabel ?? '');
    const country = readText(row('TARA'));
    return [
      {
        role: ROLES.find(([pattern]) => pattern.test(words))?.[1] ?? 'representative',
        ...compact({ roleLabel }),
        ...compact({ kind: findKind(name, row) }),
        name,
        ...compact({
          country,
          countryCode: findCountryCode(country ?? '', LANGUAGES),
          city: readText(row('LOCALITATE')),
          region: readText(row('JUDET')),
        }),
      },
    ];
  });
}

/** Only persons have a day of birth. A name with a legal form is of a company, such as a firm of liquidators. */
function findKind(name: string, row: Cell): PartyOf['kind'] | null {
  if (row('DATA_NASTERE').trim() !== '') return 'person';
  return COMPANY.test(fold(name)) ? 'organisation' : null;
}

const COMPANY = /\b(?:s\.? ?r\.? ?l|s\.? ?p\.? ?r\.? ?l|i\.? ?p\.? ?u\.? ?r\.? ?l)\.?$|^(?:s\.? ?c\.|societatea )/;

/** Branches in other member states. */
export function listBranches(rows: JoinedRows) {
  return rows('OD_SUCURSALE_ALTE_STATE_MEMBRE').map((row) =>
    compact({
      number: readText(row('EUID')),
      name: readText(row('DENUMIRE_SUCURSALA')),
      type: readText(row('TIP_UNITATE')),
      taxNumber: readText(row('COD_FISCAL')),
      country: readText(row('TARA')),
    }),
  );
}
