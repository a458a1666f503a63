import type { Clock } from '@flotilla/kube';
import type { Pod } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { ResourceInfo, TableColumn } from '../../contracts/resource-info.ts';
import { badRequest, notAcceptable } from '../../errors/api-errors.ts';
import type { TableMaker } from '../../server/encode.ts';
import { agesAt } from './ages.ts';
import { builtInRows } from './built-in-rows.ts';
import { nameOf, type RowPrinter } from './cell.ts';
import { podConditions } from './cells/pods.ts';
import { type ColumnPrinter, columnPrinter } from './custom-cells.ts';

/** Makes the tables that `kubectl get` shows. Ages are computed with the server's clock. */
export function createTableMaker(clock: Clock): TableMaker {
  const layouts = new WeakMap<ResourceInfo, Layout>();
  const layoutFor = (info: ResourceInfo): Layout => {
    const present = layouts.get(info);
    if (present) return present;
    const made = layoutOf(info);
    layouts.set(info, made);
    return made;
  };

  return (info, objects, { includeObject, metadata, withColumns }) => {
    // A review has no columns: it is an answer, not something to list.
    if (info.columns.length === 0) throw notAcceptable(['application/json', 'application/yaml']);
    const include = included(includeObject);
    const { columns, print } = layoutFor(info);
    const ages = agesAt(clock.now());
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      columnDefinitions: withColumns ? columns : null,
      rows: objects.map((object) => ({
        cells: print(object, ages),
        ...conditionsOf(info, object),
        object: include(object),
      })),
    };
  };
}

/** How the objects of a resource are laid out in rows. */
interface Layout {
  readonly columns: readonly object[];
  readonly print: RowPrinter;
}

function layoutOf(info: ResourceInfo): Layout {
  if (info.source === 'built-in') {
    return { columns: info.columns.map(columnDefinition), print: builtInRows[info.storage] ?? createdRow };
  }
  const printers = readablePrinters(info.columns);
  return {
    columns: info.columns.slice(0, printers.length).map(columnDefinition),
    print: (object, ages) => printers.map((print) => print(object, ages)),
  };
}

/** The columns up to the first whose path cannot be read: that is how many the real server shows. */
function readablePrinters(columns: readonly TableColumn[]): ColumnPrinter[] {
  const printers: ColumnPrinter[] = [];
  try {
    for (const column of columns) printers.push(columnPrinter(column));
  } catch {
    // The definition was accepted with this path, so there is no request that could report the error.
  }
  return printers;
}

const createdRow: RowPrinter = (object) => [nameOf(object), object.metadata?.creationTimestamp ?? null];

const conditionsOf = (info: ResourceInfo, object: KubeObject): object => {
  const conditions = info.storage === '/pods' ? podConditions(object as Pod) : undefined;
  return conditions ? { conditions } : {};
};

/** How much of the object comes with its row. */
function included(includeObject: string): (object: KubeObject) => object | null {
  switch (includeObject) {
    case 'None':
      return () => null;
    case 'Object':
      return (object) => object;
    case 'Metadata':
    case '':
      return ({ metadata }) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata });
    default:
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
  }
}

const columnDefinition = ({ name, type, format, description, priority, jsonPath }: TableColumn): object => ({
  name,
  type,
  format: format ?? '',
  description:
    description ??
    (jsonPath === undefined ? '' : `Custom resource definition column (in JSONPath format): ${jsonPath}`),
  priority: priority ?? 0,
});
