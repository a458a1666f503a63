import { JsonPathBudgetError, type PathBudget } from '@flotilla/rules/jsonpath';
import { IgnoreFieldsError } from './ignore-fields-error.ts';

type Container = Record<string, unknown> | unknown[];

/**
 * Removes what a JSON pointer (RFC 6901) points to, in place. A path that is not there is fine, as is anything below a scalar;
 * an element that a list cannot have is an error. Throws `IgnoreFieldsError`, also when the budget is used up.
 */
export function removePointer(object: Record<string, unknown>, pointer: string, budget: PathBudget): void {
  try {
    budget.charge(pointer.length);
    remove(object, pointer, budget);
  } catch (error) {
    if (!(error instanceof JsonPathBudgetError)) throw error;
    throw new IgnoreFieldsError(`JSON Pointer error in '${pointer}': ${error.message}`, { cause: error });
  }
}

/** Elements of a list that are moved in the time of visiting a value. */
const movedPerValue = 16;

function remove(object: Record<string, unknown>, pointer: string, budget: PathBudget): void {
  const [start, ...keys] = pointer.split('/');
  const last = keys.pop();
  if (start !== '' || last === undefined) return;
  let container: unknown = object;
  for (const key of keys) container = isContainer(container) ? childOf(container, decoded(key)) : undefined;
  if (!isContainer(container)) return;
  if (Array.isArray(container)) {
    const index = indexOf(container, decoded(last), pointer);
    budget.charge((container.length - index) / movedPerValue);
    container.splice(index, 1);
  } else delete container[decoded(last)];
}

const decoded = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

function childOf(container: Container, key: string): unknown {
  if (!Array.isArray(container)) return Object.hasOwn(container, key) ? container[key] : undefined;
  return /^-?[0-9]+$/.test(key) ? container.at(Number(key)) : undefined;
}

function indexOf(list: readonly unknown[], key: string, pointer: string): number {
  const index = /^[+-]?[0-9]+$/.test(key) ? Number(key) : Number.NaN;
  const why = Number.isNaN(index)
    ? `"${key}" is not an index of a list`
    : `Unable to access invalid index: ${index}: invalid index referenced`;
  if (Number.isNaN(index) || index >= list.length || index < -list.length) {
    throw new IgnoreFieldsError(
      `JSON Pointer error in '${pointer}': failed to apply JSON Pointer patch: error in remove for path: '${pointer}': ${why}`,
    );
  }
  return index < 0 ? index + list.length : index;
}
