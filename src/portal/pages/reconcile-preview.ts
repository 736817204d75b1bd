import { hash } from 'node:crypto';
import { showText } from '../../base/display-text.ts';
import { html, trusted } from '../../base/html.ts';
import { type SourceRecord, toRecord } from '../../registry/records/source-values.ts';
import { nameCountry } from '../text/formatting.ts';

/** Another program shows the page in a frame, so the page has its own styles, which fit into the frame. */
const STYLE =
  'body{font:14px/1.45 system-ui,sans-serif;margin:10px;color:#1d2433;background:#fff}h1{font-size:16px;margin:0 0 8px}' +
  'dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:0}dt{color:#5b6478}dd{margin:0}';
/** Allows no script, request or form. Any page may frame the preview, because it changes nothing and shows public data. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors *`;

/** Renders the company of a candidate. `record` is an excerpt of the full record. */
export function showPreview(record: SourceRecord): { body: string; policy: string } {
  const { canonicalName, countryCode, registrationNumber, status, legalForm, registeredAt, city } = record;
  const { publisher, asOf } = toRecord(record.provenance);
  const facts = [
    ['Country', nameCountry(String(countryCode))],
    ['Number', registrationNumber],
    ['Status', String(status).replaceAll('_', ' ')],
    ['Legal form', legalForm],
    ['Registered', registeredAt],
    ['Address', toRecord(toRecord(record.registry).address).text ?? city],
    ['Register', publisher],
    ['Data as of', asOf],
  ] as const;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${String(canonicalName)}</title><style>${trusted(STYLE)}</style></head>
<body><h1>${showText(String(canonicalName))}</h1>
<dl>${facts.map(([label, value]) => typeof value === 'string' && html`<dt>${label}</dt><dd>${showText(value)}</dd>`)}</dl></body></html>
`;
  return { body: page.text, policy: POLICY };
}
