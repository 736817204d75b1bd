import type { EntityParts } from '../../records/entity.ts';
import { columns, otherColumns, registryColumns, summaryColumns } from './columns.ts';
import type { RowLayout } from './group.ts';

/** Entities as rows. */
export const entityRows: RowLayout<EntityParts> = {
  columns,
  shred(find, losses) {
    const summary = summaryColumns.map((column) => [column.name, find(column)] as const);
    const common = new Map([...registryColumns].map(([name, column]) => [name, find(column)]));
    const [registrations, related] = [find(otherColumns.registrations), find(otherColumns.related)];
    const [provenance, sourceData] = [find(otherColumns.provenance), find(otherColumns.sourceData)];
    const [partyCounts, registryOther] = [find(otherColumns.partyCounts), find(otherColumns.registryOther)];

    function addRegistry(text: string, row: number): void {
      const registry: Readonly<Record<string, unknown>> = JSON.parse(text);
      let other: Record<string, unknown> | undefined;
      for (const name in registry) {
        const column = common.get(name);
        losses.isLost = column === undefined;
        column?.add(registry[name], row);
        if (losses.isLost) {
          other ??= {};
          other[name] = registry[name];
        }
      }
      if (other !== undefined) registryOther.add(other, row);
    }

    return (record, row) => {
      for (const [name, column] of summary) column.add(Reflect.get(record.summary, name), row);
      addRegistry(record.registry, row);
      registrations.add(JSON.parse(record.registrations), row);
      related.add(record.related === '[]' ? [] : JSON.parse(record.related), row);
      if (record.partyCounts !== 'null') partyCounts.add(JSON.parse(record.partyCounts), row);
      provenance.add(JSON.parse(record.provenance), row);
      sourceData.add(record.sourceData, row);
      return record.registry.length + record.sourceData.length;
    };
  },
};
