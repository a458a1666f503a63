import type { KubeObject } from '@flotilla/api-types';
import type { Clock, Pod } from '@flotilla/kube';
import { badRequest, notAcceptable } from '../../errors/api-errors.ts';
import type { ResourceInfo, TableColumn } from '../../schema/resource-info.ts';
import type { TableMaker } from '../../server/encode.ts';
import { agesAt } from './ages.ts';
import { builtInRows } from './built-in-rows.ts';
import { nameOf, type RowPrinter } from './cell.ts';
import { podConditions } from './cells/pods.ts';
import { columnPrinter } from './custom-cells.ts';

/** Makes the tables that `kubectl get` shows. Ages are told by the server's clock. */
export function createTableMaker(clock: Clock): TableMaker {
  const printers = new WeakMap<ResourceInfo, RowPrinter>();
  const printerOf = (info: ResourceInfo): RowPrinter => {
    const present = printers.get(info);
    if (present) return present;
    const made = rowPrinter(info);
    printers.set(info, made);
    return made;
  };

  return (info, objects, { includeObject, metadata, withColumns }) => {
    // A review has no columns: it is an answer, not something to list.
    if (info.columns.length === 0) throw notAcceptable(['application/json', 'application/yaml']);
    const include = included(includeObject);
    const print = printerOf(info);
    const ages = agesAt(clock.now());
    return {
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      columnDefinitions: withColumns ? info.columns.map((column) => columnDefinition(info, column)) : null,
      rows: objects.map((object) => ({
        cells: print(object, ages),
        ...conditionsOf(info, object),
        object: include(object),
      })),
    };
  };
}

function rowPrinter(info: ResourceInfo): RowPrinter {
  if (info.source === 'built-in') return builtInRows[info.storage] ?? createdRow;
  const columns = info.columns.map(columnPrinter);
  return (object, ages) => columns.map((print) => print(object, ages));
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

const columnDefinition = (
  info: ResourceInfo,
  { name, type, format, description, priority, jsonPath }: TableColumn,
) => ({
  name,
  type,
  format: format ?? '',
  description: description ?? descriptionOf(info, jsonPath),
  priority: priority ?? 0,
});

const descriptionOf = ({ source }: ResourceInfo, jsonPath: string | undefined): string =>
  source === 'custom' ? `Custom resource definition column (in JSONPath format): ${jsonPath ?? ''}` : '';
