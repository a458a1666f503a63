import { formatTable } from '../output/table.ts';

/** A table as API servers make it. */
export interface ServerTable {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority?: number }[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object?: { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
  }[];
}

/** The table of one cluster. */
export interface ClusterTable {
  readonly cluster: string;
  readonly table: ServerTable;
}

/** One table of several clusters. Clusters of other versions may have other columns: those are left empty. */
export function mergedTable(
  tables: readonly ClusterTable[],
  { wide, namespaces }: { readonly wide: boolean; readonly namespaces: boolean },
): string {
  const shown = tables.map(({ cluster, table }) => ({
    cluster,
    table,
    columns: table.columnDefinitions.map(({ name, priority = 0 }, index) => ({ name, index, priority })),
  }));
  const names = [
    ...new Set(
      shown.flatMap(({ columns }) => columns.filter(({ priority }) => wide || priority === 0).map(({ name }) => name)),
    ),
  ];
  const rows = shown.flatMap(({ cluster, table, columns }) =>
    table.rows.map(({ cells, object }) => [
      cluster,
      ...(namespaces ? [object?.metadata?.namespace ?? ''] : []),
      ...names.map((name) => textOf(cells[columns.find((column) => column.name === name)?.index ?? -1])),
    ]),
  );
  const headers = ['CLUSTER', ...(namespaces ? ['NAMESPACE'] : []), ...names.map((name) => name.toUpperCase())];
  return rows.length === 0 ? '' : formatTable(headers, rows);
}

const textOf = (cell: unknown): string => (cell === undefined || cell === null ? '' : String(cell));
