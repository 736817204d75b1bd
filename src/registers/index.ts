/** The registers and countries. See docs/adding-a-register.md. */

import { ar } from './ar/register.ts';
import { au } from './au/register.ts';
import { be } from './be/register.ts';
import { br } from './br/register.ts';
import { ca } from './ca/register.ts';
import { cl } from './cl/register.ts';
import type { Register } from './contract.ts';
import { cz } from './cz/register.ts';
import { ee } from './ee/register.ts';
import { fi } from './fi/register.ts';
import { fr } from './fr/register.ts';
import { gb } from './gb/register.ts';
import { gleif } from './gleif/register.ts';
import { ie } from './ie/register.ts';
import { il } from './il/register.ts';
import { jp } from './jp/register.ts';
import { lt } from './lt/register.ts';
import { lv } from './lv/register.ts';
import { md } from './md/register.ts';
import { no } from './no/register.ts';
import { pe } from './pe/register.ts';
import { ro } from './ro/register.ts';
import { se } from './se/register.ts';
import { sg } from './sg/register.ts';
import { si } from './si/register.ts';
import { sk } from './sk/register.ts';
import { tw } from './tw/register.ts';
import { ua } from './ua/register.ts';
import { usCo } from './us-co/register.ts';
import { usFl } from './us-fl/register.ts';
import { usIa } from './us-ia/register.ts';
import { usNy } from './us-ny/register.ts';

export const registers: readonly Register[] = [
  ar,
  au,
  be,
  br,
  ca,
  cl,
  cz,
  ee,
  fi,
  fr,
  gb,
  gleif,
  ie,
  il,
  jp,
  lt,
  lv,
  md,
  no,
  pe,
  ro,
  se,
  sg,
  si,
  sk,
  tw,
  ua,
  usCo,
  usFl,
  usIa,
  usNy,
];

export interface CountryName {
  readonly code: string;
  readonly name: string;
  readonly nativeName: string;
}

/** Countries that have a register or will get one, sorted by code. `GET /api/v1/countries` lists all of them. */
export const countries: readonly CountryName[] = [
  { code: 'AR', name: 'Argentina', nativeName: 'Argentina' },
  { code: 'AU', name: 'Australia', nativeName: 'Australia' },
  { code: 'BE', name: 'Belgium', nativeName: 'België / Belgique / Belgien' },
  { code: 'BR', name: 'Brazil', nativeName: 'Brasil' },
  { code: 'CA', name: 'Canada', nativeName: 'Canada' },
  { code: 'CH', name: 'Switzerland', nativeName: 'Schweiz / Suisse / Svizzera / Svizra' },
  { code: 'CL', name: 'Chile', nativeName: 'Chile' },
  { code: 'CO', name: 'Colombia', nativeName: 'Colombia' },
  { code: 'CY', name: 'Cyprus', nativeName: 'Κύπρος / Kıbrıs' },
  { code: 'CZ', name: 'Czechia', nativeName: 'Česko' },
  { code: 'DE', name: 'Germany', nativeName: 'Deutschland' },
  { code: 'EE', name: 'Estonia', nativeName: 'Eesti' },
  { code: 'FI', name: 'Finland', nativeName: 'Suomi / Finland' },
  { code: 'FR', name: 'France', nativeName: 'France' },
  { code: 'GB', name: 'United Kingdom', nativeName: 'United Kingdom' },
  { code: 'IE', name: 'Ireland', nativeName: 'Éire / Ireland' },
  { code: 'IL', name: 'Israel', nativeName: 'ישראל' },
  { code: 'IN', name: 'India', nativeName: 'भारत / India' },
  { code: 'JP', name: 'Japan', nativeName: '日本' },
  { code: 'LT', name: 'Lithuania', nativeName: 'Lietuva' },
  { code: 'LV', name: 'Latvia', nativeName: 'Latvija' },
  { code: 'MD', name: 'Moldova', nativeName: 'Moldova' },
  { code: 'NO', name: 'Norway', nativeName: 'Norge / Noreg' },
  { code: 'NZ', name: 'New Zealand', nativeName: 'New Zealand / Aotearoa' },
  { code: 'PE', name: 'Peru', nativeName: 'Perú' },
  { code: 'PL', name: 'Poland', nativeName: 'Polska' },
  { code: 'RO', name: 'Romania', nativeName: 'România' },
  { code: 'SE', name: 'Sweden', nativeName: 'Sverige' },
  { code: 'SG', name: 'Singapore', nativeName: 'Singapore / Singapura / 新加坡 / சிங்கப்பூர்' },
  { code: 'SI', name: 'Slovenia', nativeName: 'Slovenija' },
  { code: 'SK', name: 'Slovakia', nativeName: 'Slovensko' },
  { code: 'TW', name: 'Taiwan', nativeName: '臺灣' },
  { code: 'UA', name: 'Ukraine', nativeName: 'Україна' },
  { code: 'US', name: 'United States', nativeName: 'United States' },
];
