import { isDeepStrictEqual } from 'node:util';
import { applyObjects, formOf, type Owner } from '@flotilla/install';
import { type Clock, type KubeClient, KubeError, keyOf, type ResourceHandle } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import type { CliContext } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Progress } from '../output/progress.ts';
import { leadsElsewhere } from './access-changes.ts';
import { type Change, changesBetween, formatChanges } from './changes.ts';
import { ifServed } from './served.ts';

/** A change of one object that exists: fields that it does not name keep their value, whoever wrote them. */
export interface Edit {
  readonly name: string;
  /** The object as it should be, from the object as it is. */
  change(found: KubeObject): KubeObject;
  readonly handle: Pick<ResourceHandle<KubeObject>, 'get' | 'replace'>;
}

/** An edit of an object of one kind. */
export const editOf = <T extends KubeObject>(handle: ResourceHandle<T>, name: string, change: (found: T) => T): Edit =>
  ({ name, change, handle }) as unknown as Edit;

/** The writes of one command. */
export interface Writes {
  /** Applied in this order. */
  readonly applied: readonly KubeObject[];
  /** Made after them. */
  readonly edit?: Edit;
  /** Objects that exist, and are deleted. */
  readonly removed?: readonly KubeObject[];
}

/** The changes of each object, by kind and name. */
export type ChangesByObject = ReadonlyMap<string, readonly Change[]>;

/** What the writes would change, as the API server answers a dry run of each. */
export async function changesOfWrites(
  client: KubeClient,
  { applied, edit, removed = [] }: Writes,
  owner: Owner,
): Promise<ChangesByObject> {
  const changes = new Map<string, readonly Change[]>();
  const record = (object: KubeObject, list: readonly Change[]) => {
    if (list.length > 0) changes.set(`${object.kind} ${keyOf(object)}`, list);
  };
  for (const object of applied) {
    const { apiVersion = '', kind = '' } = object;
    const handle = await ifServed(() => client.dynamic({ apiVersion, kind }), undefined);
    const found = await handle?.find(keyOf(object));
    const after =
      found &&
      (await handle?.apply(formOf(owner, object, found), {
        fieldManager: owner.fieldManager,
        force: true,
        dryRun: true,
      }));
    record(object, found && after ? changesBetween(found, after) : [{ field: '', from: undefined, to: 'created' }]);
  }
  if (edit) {
    const found = await edit.handle.get(edit.name);
    const wanted = edit.change(found);
    if (!isDeepStrictEqual(found, wanted)) {
      const after = await edit.handle.replace(wanted, { fieldManager: owner.fieldManager, dryRun: true });
      record(found, changesBetween(found, after));
    }
  }
  for (const object of removed) record(object, [{ field: '', from: 'created', to: undefined }]);
  return changes;
}

/** Prints the changes, and asks where somebody can answer. Throws if the answer is no. */
export async function confirmChanges(
  { ask }: Pick<CliContext, 'ask'>,
  changes: ChangesByObject,
  { yes = false, progress }: { readonly yes?: boolean | undefined; readonly progress: Progress },
): Promise<void> {
  if (changes.size === 0) return;
  progress.done(`This command changes:\n\n${formatByObject(changes)}`);
  const isQuestion = [...changes].some(
    // A new token alone is none: each command has one.
    ([object, list]) => !isCreation(list) && (!object.startsWith('Secret ') || list.some(leadsElsewhere)),
  );
  if (yes || !ask || !isQuestion) return;
  progress.pause();
  const answer = await ask('Change it? [y/N] ');
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new CliError('failed', 'not confirmed, nothing was changed', 'Answer y, or add --yes.');
}

/** The changes as lines below the name of each object. */
export const formatByObject = (changes: ChangesByObject): string =>
  [...changes]
    .map(([object, list]) => {
      // A schema has hundreds of fields, which are those of the release.
      const isSchema = object.startsWith('CustomResourceDefinition ') && !isCreation(list);
      return `${object}\n${isSchema ? `  ${list.length} changed fields of its schema` : formatChanges(list)}\n`;
    })
    .join('');

const isCreation = ([change]: readonly Change[]): boolean => change?.field === '' && change.to !== undefined;

/** Other controllers write the status of the edited object meanwhile. */
const maxAttempts = 5;

/** Makes the writes. */
export async function perform(
  client: KubeClient,
  { applied, edit, removed = [] }: Writes,
  { owner, clock }: { readonly owner: Owner; readonly clock: Clock },
): Promise<void> {
  await applyObjects(client, applied, { owner, clock });
  for (const { apiVersion = '', kind = '', ...object } of removed) {
    const handle = await client.dynamic({ apiVersion, kind });
    await ifServed(() => handle.delete(keyOf(object)), undefined);
  }
  for (let attempt = 1; edit; attempt += 1) {
    try {
      const found = await edit.handle.get(edit.name);
      const wanted = edit.change(found);
      if (!isDeepStrictEqual(found, wanted)) await edit.handle.replace(wanted, { fieldManager: owner.fieldManager });
      return;
    } catch (error) {
      if (!KubeError.is(error, 'Conflict') || attempt === maxAttempts) throw error;
    }
  }
}

/** The objects that are not there yet: the others were made before, and may have been changed since. */
export async function missingOf(client: KubeClient, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const found = await Promise.all(
    objects.map(async (object) => {
      const { apiVersion = '', kind = '' } = object;
      return ifServed(async () => (await client.dynamic({ apiVersion, kind })).find(keyOf(object)), undefined);
    }),
  );
  return objects.filter((_, at) => found[at] === undefined);
}
