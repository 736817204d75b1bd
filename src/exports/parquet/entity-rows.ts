import type { EntityParts } from '../../registry/records/records.ts';
import { createProvenanceReader } from '../provenance.ts';
import { columns, otherColumns, registryColumns, summaryColumns } from './columns.ts';
import type { RowLayout } from './group.ts';

type Fields = Readonly<Record<string, unknown>>;

const MAX_HEADS = 4_000;

/** Returns the fields of `registry` in their order, in parts. A part that many records share is parsed once. */
function createRegistryReader(): (record: EntityParts) => readonly Fields[] {
  const heads = new Map<string, Fields>();
  return ({ registry, headLength = 0 }) => {
    if (headLength === 0) return [JSON.parse(registry)];
    const head = registry.slice(0, headLength);
    let fields = heads.get(head);
    if (fields === undefined) {
      if (heads.size >= MAX_HEADS) heads.clear();
      fields = JSON.parse(`${head}}`) as Fields;
      heads.set(head, fields);
    }
    const rest = registry.slice(headLength + 1);
    return rest === '' ? [fields] : [fields, JSON.parse(`{${rest}`)];
  };
}

/** Entities as rows. */
export const entityRows: RowLayout<EntityParts> = {
  columns,
  shred(find, losses) {
    const summary = summaryColumns.map((column) => [column.name, find(column)] as const);
    const common = new Map([...registryColumns].map(([name, column]) => [name, find(column)]));
    const [registrations, related] = [find(otherColumns.registrations), find(otherColumns.related)];
    const [provenance, sourceData] = [find(otherColumns.provenance), find(otherColumns.sourceData)];
    const [partyCounts, registryOther] = [find(otherColumns.partyCounts), find(otherColumns.registryOther)];
    const [readRegistry, readProvenance] = [createRegistryReader(), createProvenanceReader()];

    function addRegistry(parts: readonly Fields[], row: number): void {
      let other: Record<string, unknown> | undefined;
      for (const fields of parts) {
        for (const name in fields) {
          const column = common.get(name);
          losses.isLost = column === undefined;
          column?.add(fields[name], row);
          if (losses.isLost) {
            other ??= {};
            other[name] = fields[name];
          }
        }
      }
      if (other !== undefined) registryOther.add(other, row);
    }

    return (record, row) => {
      for (const [name, column] of summary) column.add(Reflect.get(record.summary, name), row);
      addRegistry(readRegistry(record), row);
      registrations.add(JSON.parse(record.registrations), row);
      related.add(record.related === '[]' ? [] : JSON.parse(record.related), row);
      if (record.partyCounts !== 'null') partyCounts.add(JSON.parse(record.partyCounts), row);
      provenance.add(readProvenance(record.provenance), row);
      sourceData.add(record.sourceData, row);
      return record.registry.length + record.sourceData.length;
    };
  },
};
