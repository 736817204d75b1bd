import Type, { type TSchema } from 'typebox';
import { statusMeanings } from '../base/entity-status.ts';
import type { EntitySummary as Summary, SummaryName } from '../base/entity-summary.ts';
import { legalFormClasses } from '../registers/classifications/elf.ts';
import { component, instant, listMeanings, nullable, orNull, text, uuid } from './fields.ts';

/** The shape of a company in search results. Full records start with these fields. */
export const summaryFields = {
  id: uuid(
    'Unique identifier of the company. It is the same after every import and on every installation.',
    'd5563039-853c-5a0c-a623-fa282b839bef',
  ),
  countryCode: text('Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2).', 'GB'),
  register: orNull.text('Identifier of the register that the record comes from.', 'gb'),
  registrationNumber: orNull.text(
    'Number of the first registration, exactly as published. `null` if the record has none.',
    '00445790',
  ),
  canonicalName: text('Name for search and display.', 'ALPHA LTD'),
  status: text(`Normalized status: ${listMeanings(statusMeanings)}. New values may be added.`, 'active'),
  legalForm: orNull.text('National legal form, in the words of the register.', 'Private Limited Company'),
  city: orNull.text('City of the registered address, as the source writes it.', 'London'),
  registeredAt: orNull.day('Date of registration.', '2003-02-01'),
  updatedAt: instant('Time of the import that last changed the record.', '2026-09-01T00:00:00.000Z'),
  jurisdiction: orNull.text(
    'Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2). `null` if the ' +
      'register does not say it.',
    'US-NY',
  ),
  isic: orNull.text(
    'ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division, group or ' +
      'class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none is.',
    '6201',
  ),
  elf: orNull.text(
    'Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). ' +
      '`GET /api/v1/classifications/elf` has the names. `null` if none is certain.',
    'H0PO',
  ),
  legalFormClass: orNull.text(
    `Class of the legal form: ${listMeanings(legalFormClasses)}. New values may be added.`,
    'limited_company',
  ),
} satisfies Record<SummaryName, TSchema>;

export const EntitySummary = component('EntitySummary', 'A company in search results.', {
  ...summaryFields,
  matchedName: Type.Optional(
    nullable(
      Type.String({
        description:
          'Only in results of a search with `words`: the former or other name, as registered, with a word that the current name and the ' +
          'registration numbers lack. Null if they have all words.',
        examples: ['Albion Elm Trading'],
      }),
    ),
  ),
});

export const summaryExample: Summary = {
  id: 'd5563039-853c-5a0c-a623-fa282b839bef',
  countryCode: 'GB',
  register: 'gb',
  registrationNumber: '16802418',
  canonicalName: 'ALBION ELM HOLDINGS LTD',
  status: 'active',
  legalForm: 'Private Limited Company',
  city: 'CAMBRIDGE',
  registeredAt: '2023-05-14',
  updatedAt: '2026-11-15T20:25:28.409Z',
  jurisdiction: 'GB-EAW',
  isic: '2819',
  elf: 'H0PO',
  legalFormClass: 'limited_company',
};
