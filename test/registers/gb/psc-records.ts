import type { Json } from '../../../src/base/source-files.ts';

/** Records in the format of the PSC snapshot. The names, addresses and numbers are invented. */
type JsonRecord = { readonly [key: string]: Json };

const PSC = 'persons-with-significant-control';

export function writeRecord(company: string, kind: string, id: string, data: JsonRecord): JsonRecord {
  const self = `/company/${company}/${PSC}/${id}`;
  return { company_number: company, data: { etag: `etag-${id}`, kind, links: { self }, ...data } };
}

export function person(company: string, id: string, data: JsonRecord = {}): JsonRecord {
  return writeRecord(company, 'individual-person-with-significant-control', `individual/${id}`, {
    address: { address_line_1: 'Fern Lane', locality: 'Poole', postal_code: 'ZZ1 1ZZ', premises: '7' },
    country_of_residence: 'Wales',
    date_of_birth: { month: 8, year: 1951 },
    name: 'Mr Ivor Quillfeather',
    name_elements: { forename: 'Ivor', surname: 'Quillfeather', title: 'Mr' },
    nationality: 'Welsh',
    natures_of_control: ['ownership-of-shares-75-to-100-percent'],
    notified_on: '2016-04-06',
    ...data,
  });
}

export function corporate(company: string, id: string, identification: JsonRecord, data: JsonRecord = {}): JsonRecord {
  return writeRecord(company, 'corporate-entity-person-with-significant-control', `corporate-entity/${id}`, {
    address: { address_line_1: 'Dock Road', country: 'England', locality: 'Hull', postal_code: 'HU1 1AA' },
    identification: { legal_authority: 'Companies Act 2006', legal_form: 'Limited', ...identification },
    name: 'Harbour Kites Holdings Limited',
    natures_of_control: ['ownership-of-shares-50-to-75-percent', 'voting-rights-25-to-50-percent-as-firm'],
    notified_on: '2017-05-01',
    ...data,
  });
}

export function statement(company: string, id: string, code: string, data: JsonRecord = {}): JsonRecord {
  const { company_number, data: common } = writeRecord(company, `${PSC}-statement`, id, {
    notified_on: '2018-01-02',
    statement: code,
    ...data,
  });
  const self = `/company/${company}/${PSC}-statements/${id}`;
  return { company_number: company_number as string, data: { ...(common as JsonRecord), links: { self } } };
}

export function protectedPerson(company: string, id: string, ceased = false): JsonRecord {
  const description = `super-secure-${PSC}`;
  return writeRecord(company, 'super-secure-person-with-significant-control', `super-secure/${id}`, {
    ceased,
    description,
  });
}

export function exemptions(company: string, all: JsonRecord): JsonRecord {
  return {
    company_number: company,
    data: { exemptions: all, kind: 'exemptions', links: { self: `/company/${company}/exemptions` } },
  };
}

export function totals(persons: number, statements: number, exempt: number): JsonRecord {
  return {
    data: {
      kind: 'totals#persons-of-significant-control-snapshot',
      persons_of_significant_control_count: persons,
      statements_count: statements,
      exemptions_count: exempt,
      generated_at: '2026-09-18T03:40:50Z',
    },
  };
}

export function writeLines(records: readonly JsonRecord[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
