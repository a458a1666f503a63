import type { KubeObject } from '@flotilla/schema';
import type { Ages } from './ages.ts';

export type Cell = string | number | bigint | boolean | null;

/** All cells of one object, in the order of its kind's columns. */
export type RowPrinter = (object: KubeObject, ages: Ages) => readonly Cell[];

/** The name and the cells between it and the age, then the age, then what only `-o wide` shows. */
export function row<T extends KubeObject>(
  cells: (object: T, ages: Ages) => readonly Cell[],
  wide: (object: T) => readonly Cell[] = () => [],
): RowPrinter {
  return (object, ages) => {
    const typed = object as T;
    return [nameOf(object), ...cells(typed, ages), ages.since(object.metadata?.creationTimestamp), ...wide(typed)];
  };
}

export const nameOf = ({ metadata }: KubeObject): string => metadata?.name ?? '';
