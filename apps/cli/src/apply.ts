import type { KubeObject } from '@flotilla/api-types';
import { type Clock, type KubeClient, KubeError } from '@flotilla/kube';
import { fieldManager } from './connect.ts';

const servedWithinMs = 30_000;
const betweenLooksMs = 100;

/** `Namespace open-cluster-management`, `Secret open-cluster-management-agent/bootstrap-hub-kubeconfig`. */
export function describeObject({ kind, metadata }: KubeObject): string {
  const name = metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : metadata?.name;
  return `${kind} ${name}`;
}

/** Applies objects one after the other: those that others need come first in the list, definitions before their kinds. */
export async function applyObjects(client: KubeClient, objects: readonly KubeObject[], clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + servedWithinMs;
  for (const object of objects) {
    const { apiVersion = '', kind = '' } = object;
    const handle = await whenServed(() => client.dynamic({ apiVersion, kind }), { client, clock, deadline });
    await handle.apply(object, { fieldManager, force: true });
  }
}

/** A server takes a moment to serve the kind of a definition that it was just given. */
async function whenServed<T>(
  find: () => Promise<T>,
  { client, clock, deadline }: { client: KubeClient; clock: Clock; deadline: number },
): Promise<T> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!KubeError.is(error, 'UnknownKind') || clock.monotonic() >= deadline) throw error;
      await clock.sleep(betweenLooksMs);
      client.mapper.invalidate();
    }
  }
}
