import { type Clock, type KubeClient, KubeError, keyOf } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { isOwnedBy, type Owner, withOwner } from '../ownership.ts';

const servedWithinMs = 30_000;
const intervalMs = 100;

/**
 * Applies objects in the given order: namespaces and definitions come before what needs them. An object that exists without the
 * labels of the owner does not get them: the owner would remove it later, although something else created it.
 */
export async function applyObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
  { owner, clock }: { readonly owner: Owner; readonly clock: Clock },
): Promise<void> {
  const { fieldManager } = owner;
  const deadline = clock.monotonic() + servedWithinMs;
  const apply = async (object: KubeObject): Promise<void> => {
    const { apiVersion = '', kind = '' } = object;
    const handle = await whenServed(() => client.dynamic({ apiVersion, kind }), { client, clock, deadline });
    const found = await handle.find(keyOf(object));
    await handle.apply(formOf(owner, object, found), { fieldManager, force: true });
  };
  for (const step of steps(objects)) await Promise.all(step.map(apply));
}

/** An object as its owner applies it over the one that is there. */
export const formOf = (owner: Owner, object: KubeObject, found: KubeObject | undefined): KubeObject =>
  !found || isOwnedBy(owner, found) ? withOwner(owner, object) : object;

/** Definitions that follow one another need not wait for one another. */
function steps(objects: readonly KubeObject[]): KubeObject[][] {
  const found: KubeObject[][] = [];
  for (const object of objects) {
    const last = found.at(-1);
    if (last && [object, last[0]].every((one) => one?.kind === customResourceDefinitions.kind)) last.push(object);
    else found.push([object]);
  }
  return found;
}

/** An API server takes a moment to serve the kind of a new definition. */
async function whenServed<T>(
  find: () => Promise<T>,
  { client, clock, deadline }: { client: KubeClient; clock: Clock; deadline: number },
): Promise<T> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!KubeError.is(error, 'UnknownKind') || clock.monotonic() >= deadline) throw error;
      await clock.sleep(intervalMs);
      client.mapper.invalidate();
    }
  }
}
