import { BATCH_SIZE } from './asked.ts';
import { COMPANY } from './properties.ts';

/** The size of a preview in pixels. */
const PREVIEW = { width: 430, height: 300 } as const;

export interface Place {
  /** The public address of the service. */
  readonly site: string;
  /** The address of this endpoint: all others are below it. A reconcile link is part of it. */
  readonly base: string;
  readonly country: string | undefined;
  readonly serviceVersion: string;
}

export function writeManifest({ site, base, country, serviceVersion }: Place): string {
  const below = (path: string) => ({ service_url: base, service_path: path });
  return JSON.stringify({
    versions: ['0.2'],
    name: `Firmament companies${country === undefined ? '' : ` (${country})`}`,
    documentation: `${site}/docs/openrefine`,
    serviceVersion,
    defaultTypes: [COMPANY],
    batchSize: BATCH_SIZE,
    identifierSpace: `${site}/entities/`,
    schemaSpace: `${site}/docs/openrefine#properties`,
    view: { url: `${site}/entities/{{id}}` },
    preview: { url: `${base}/preview?id={{id}}`, ...PREVIEW },
    suggest: { entity: below('/suggest/entity'), property: below('/suggest/property'), type: below('/suggest/type') },
    extend: { propose_properties: below('/propose'), property_settings: [] },
  });
}
