import type { Fields } from '../../../core/requests/form-fields.ts';
import { type MonitorType, monitorFields, monitorTypes, type Scope } from '../../../monitors/monitor.ts';
import type { Monitor } from '../../../monitors/monitors.ts';
import { type Html, html } from '../../html.ts';

const TYPE_LABELS: Readonly<Record<MonitorType, string>> = {
  added: 'Added: appears for the first time',
  changed: 'Changed: something in the record',
  delisted: 'Delisted: no longer in the register',
  relisted: 'Relisted: in the register again',
  entered: 'Entered: begins to match the search',
  left: 'Left: no longer matches the search',
};
const FIELD_LABELS: Readonly<Record<(typeof monitorFields)[number], string>> = {
  status: 'Status',
  canonicalName: 'Name',
  address: 'Address',
  legalForm: 'Legal form',
  registeredAt: 'Date of registration',
  related: 'Related companies',
  parties: 'Owners and other parties',
};

/** What counts as a change, as checkboxes. `readScopeFields` reads them. Companies of a list cannot enter or leave. */
export function scopeFields({ types, fields }: Scope, isList = false): Html {
  const offered = monitorTypes.filter((type) => !isList || (type !== 'entered' && type !== 'left'));
  return html`<fieldset><legend>Report a company if it is</legend>
      ${offered.map((type) => choice(`type:${type}`, TYPE_LABELS[type], types.includes(type)))}</fieldset>
    <fieldset><legend>Of changed companies, only changes of</legend>
      ${monitorFields.map((field) => choice(`field:${field}`, FIELD_LABELS[field], fields?.includes(field) === true))}
      <p class="hint">None chosen: every change counts.</p></fieldset>`;
}

/** Undefined if no kind of change is chosen. */
export function readScopeFields(form: Fields): Scope | undefined {
  const types = monitorTypes.filter((type) => form[`type:${type}`] !== undefined);
  const fields = monitorFields.filter((field) => form[`field:${field}`] !== undefined);
  return types.length === 0 ? undefined : { types, fields: fields.length === 0 ? null : fields };
}

export function choice(name: string, label: Html | string, isChecked: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="yes"${isChecked && html` checked`}> ${label}</label>`;
}

/** A field for a pasted list, and a button that fills it from a file. `public/list-file.js` reveals the button. */
export function listField(list: string, label: string): Html {
  return html`<label for="list">${label}</label>
    <textarea id="list" name="list" rows="8" spellcheck="false" aria-describedby="list-hint">${list}</textarea>
    <p class="hint" id="list-hint">One per line: an id, or country and registration number, such as <code>GB,00445790</code>. Or CSV with a
      heading and the column <code>id</code>, or the columns <code>country</code> and <code>number</code>. Up to 10,000.</p>
    <p class="file" hidden><label for="list-file">From a file</label> <input id="list-file" type="file" accept=".csv,.txt,text/csv,text/plain" data-fills="list"></p>`;
}

export function searchField(search: string, label: string): Html {
  return html`<label for="search">${label}</label>
    <input id="search" name="search" value="${search}" spellcheck="false" autocomplete="off" aria-describedby="search-hint">
    <p class="hint" id="search-hint">The address of <a href="/explore">a search</a>, or its parameters, such as <code>q=bank&amp;country=GB</code>.
      It may match up to 10,000 companies.</p>`;
}

export function nameField(name: string): Html {
  return html`<label for="name">Name</label>
    <input id="name" name="name" required maxlength="60" value="${name}" autocomplete="off">`;
}

/** The parameters of a saved search, as in an address. */
export function writeSearch(search: NonNullable<Monitor['search']>): string {
  return new URLSearchParams(search as Record<string, string>).toString();
}
