import type { RegisterState } from '../../../registry/registry.ts';
import { type Html, html } from '../../html.ts';
import { signInAddress } from '../../visitor.ts';
import type { Visitor } from '../layout.ts';

type Register = RegisterState['register'];

interface ActedOn {
  readonly id: string;
  readonly registrationNumber: string | null;
  readonly provenance: { readonly synthetic?: boolean | null } | null;
}

/** What a user can do with a record: prove it, take it along, and look at the page that its register has for the company. */
export function recordActions(entity: ActedOn, register: Register | undefined, visitor: Visitor): Html {
  const { id, provenance } = entity;
  const official = provenance?.synthetic ? undefined : findCompanyPage(entity, register);
  const address = (path: string) => (visitor === 'anonymous' ? signInAddress(`/entities/${id}`) : path);
  const cost = visitor === 'anonymous' ? 'Proof and JSON need a free account' : 'Proof and JSON: 1 request each';
  return html`<p class="record-actions">
    ${provenance !== null && html`<a class="button" href="${address(`/entities/${id}/proof`)}">Prove this record</a>`}
    <a class="button quiet" href="${address(`/entities/${id}/json`)}"${visitor !== 'anonymous' && html` download="${id}.json"`}>Download JSON</a>
    ${official !== undefined && html`<a class="button quiet" href="${official}" rel="noreferrer noopener">Open in the official register</a>`}
    ${visitor !== 'anonymous' && html`<button class="quiet" form="watch">Watch this company</button>`}
    <span class="quiet">${cost}</span>
  </p>
  ${visitor !== 'anonymous' && html`<form id="watch" method="post" action="/dashboard/monitors/watch"><input type="hidden" name="entity" value="${id}"></form>`}`;
}

/** Undefined if the register has no pages of companies. */
export function findCompanyPage(
  { registrationNumber }: Pick<ActedOn, 'registrationNumber'>,
  register: Pick<Register, 'companyPage'> | undefined,
): string | undefined {
  if (registrationNumber === null) return undefined;
  const write = (text: string) => encodeURIComponent(text);
  return register?.companyPage
    ?.replace('{number}', write(registrationNumber))
    .replace('{digits}', write(registrationNumber.replace(/[^0-9A-Za-z]/g, '')));
}
