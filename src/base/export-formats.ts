/** The formats of exports. The configuration names some of them, and `exports/` writes them. */
export const entityFormats = ['parquet', 'ndjson', 'csv'] as const;
export type EntityFormat = (typeof entityFormats)[number];
/** Parties have formats of their own, so that the format `parquet` contains only companies. */
export const partyFormats = ['parties-parquet', 'parties-ndjson', 'parties-csv', 'bods'] as const;
export type PartyFormat = (typeof partyFormats)[number];
export const exportFormats = [...entityFormats, ...partyFormats] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** The kinds of rows in exports. The files of each kind are in a folder of this name. */
export const datasets = ['entities', 'parties'] as const;
export type Dataset = (typeof datasets)[number];

export function isPartyFormat(format: ExportFormat): format is PartyFormat {
  return partyFormats.some((name) => name === format);
}

export function datasetOf(format: ExportFormat): Dataset {
  return isPartyFormat(format) ? 'parties' : 'entities';
}
