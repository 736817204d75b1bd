import type { EntityParts } from '../../registry/records/records.ts';
import { columns, otherColumns, registryColumns, summaryColumns } from './columns.ts';
import type { RowLayout } from './group.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Entities as rows. */
export const entityRows: RowLayout<EntityParts> = {
  columns,
  shred(find, losses) {
    const summary = summaryColumns.map((column) => [column.name, find(column)] as const);
    const common = new Map([...registryColumns].map(([name, column]) => [name, find(column)]));
    const [registrations, related] = [find(otherColumns.registrations), find(otherColumns.related)];
    const [provenance, sourceData] = [find(otherColumns.provenance), find(otherColumns.sourceData)];
    const [partyCounts, registryOther] = [find(otherColumns.partyCounts), find(otherColumns.registryOther)];

    function addRegistry(fields: Fields, row: number): void {
      const other: Record<string, unknown> = {};
      for (const name in fields) {
        const column = common.get(name);
        losses.isLost = column === undefined;
        column?.add(fields[name], row);
        if (losses.isLost) other[name] = fields[name];
      }
      if (Object.keys(other).length > 0) registryOther.add(other, row);
    }

    return (record, row) => {
      for (const [name, column] of summary) column.add(Reflect.get(record.summary, name), row);
      addRegistry(JSON.parse(record.registry), row);
      registrations.add(JSON.parse(record.registrations), row);
      related.add(record.related === '[]' ? [] : JSON.parse(record.related), row);
      if (record.partyCounts !== 'null') partyCounts.add(JSON.parse(record.partyCounts), row);
      provenance.add(JSON.parse(record.provenance), row);
      sourceData.add(record.sourceData, row);
      return record.registry.length + record.sourceData.length;
    };
  },
};
