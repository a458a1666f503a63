import type { KubeObject } from '@flotilla/api-types';
import { type Clock, customResourceDefinitions, type KubeClient, KubeError } from '@flotilla/kube';
import { fieldManager } from './connect.ts';
import { asMadeByCli, isMadeByCli, withoutMark } from './ownership.ts';

const servedWithinMs = 30_000;
const betweenLooksMs = 100;

/** `namespace/name`, or `name`. */
export const keyOf = ({ metadata }: KubeObject): string =>
  metadata?.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata?.name ?? '');

/** `Namespace open-cluster-management`, `Secret open-cluster-management-agent/bootstrap-hub-kubeconfig`. */
export const describeObject = (object: KubeObject): string => `${object.kind} ${keyOf(object)}`;

/**
 * Applies objects one after the other: those that others need come first in the list, definitions before their kinds. One that
 * somebody else made does not become ours by that: `clean` and `unjoin` would take it away.
 */
export async function applyObjects(client: KubeClient, objects: readonly KubeObject[], clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + servedWithinMs;
  for (const object of objects) {
    const { apiVersion = '', kind = '' } = object;
    const handle = await whenServed(() => client.dynamic({ apiVersion, kind }), { client, clock, deadline });
    const found = await handle.find(keyOf(object));
    const isOurs = !found || isMadeByCli(found);
    await handle.apply(isOurs ? object : withoutMark(object), { fieldManager, force: true });
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

/** The definition of a kind, as far as it is looked at here. */
export interface Definition extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string }[] };
}

/**
 * The definitions to apply. Those of others, such as OCM's operator, are neither changed nor later removed. One that has more
 * versions stays too: objects may be stored in them.
 */
export async function missingDefinitions(
  client: KubeClient,
  definitions: readonly Definition[],
): Promise<KubeObject[]> {
  const { items } = await client.resource(customResourceDefinitions).list();
  const found = new Map(items.map((item) => [keyOf(item), item]));
  return definitions
    .filter((definition) => {
      const present = found.get(keyOf(definition));
      return (
        !present || (isMadeByCli(present) && versionsOf(present).every((name) => versionsOf(definition).includes(name)))
      );
    })
    .map(asMadeByCli);
}

const versionsOf = ({ spec }: Pick<Definition, 'spec'>): string[] => spec.versions.map(({ name }) => name);
