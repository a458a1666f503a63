import { applyConflict } from '../errors/api-errors.ts';
import { type FieldPath, formatPath } from './field-path.ts';
import { FieldSet } from './field-set.ts';
import { compareText } from './json.ts';
import { type ManagerIdentity, managerKey } from './managed-fields.ts';

/** A field that another manager owns and that the applied object would change. */
export interface Conflict {
  readonly owner: ManagerIdentity;
  readonly path: FieldPath;
}

/** The paths of conflicts as a set. */
export const conflictPaths = (conflicts: readonly Conflict[]): FieldSet =>
  FieldSet.of(...conflicts.map(({ path }) => path));

/** The refusal of an apply without force: one cause for each field, and all of them by manager in the message. */
export function conflictRefusal(conflicts: readonly Conflict[]) {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describe(owner)}`,
    field: formatPath(path),
  }));
  return applyConflict(causes, messageOf(conflicts));
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first, ...more] = conflicts;
  if (first && more.length === 0) {
    return `Apply failed with 1 conflict: conflict with ${describe(first.owner)}: ${formatPath(first.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => managerKey(owner));
  const owners = [...byOwner].sort(([a], [b]) => compareText(a, b));
  const lines = owners.flatMap(([, group]) => [
    `conflicts with ${group[0] ? describe(group[0].owner) : ''}:`,
    ...group.map(({ path }) => `- ${formatPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function describe({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const name = subresource
    ? `${JSON.stringify(manager)} with subresource ${JSON.stringify(subresource)}`
    : JSON.stringify(manager);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
