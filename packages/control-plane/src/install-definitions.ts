import { type Clock, type KubeClient, keyOf } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { type KubeObject, stringifyJson } from '@flotilla/schema';
import type { Storage } from './contracts/storage.ts';
import type { CustomResourceDefinition } from './schema/custom.ts';
import { definitionStorage } from './schema/definitions/definition.ts';

export interface InstallOptions {
  readonly client: KubeClient;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly newUid: () => string;
  /** Nobody has used this control plane yet, so that it does the same to a definition as every other new one. */
  readonly isNew: boolean;
}

/**
 * What a new control plane of this process created for a definition: validated, with defaults and owners of fields. Tests start hundreds of
 * control planes with the same definitions. They are made anew each time, but for their schemas; the text tells whether all is the same.
 */
const created = new WeakMap<object, { readonly text: string; readonly object: KubeObject }>();

const schemaOf = (crd: KubeObject): object =>
  (crd as Partial<CustomResourceDefinition>).spec?.versions?.[0]?.schema?.openAPIV3Schema ?? crd;

/** Applies custom resource definitions. */
export async function installDefinitions(options: InstallOptions, crds: readonly KubeObject[]): Promise<void> {
  for (const crd of crds) {
    const known = options.isNew ? knownObject(options, crd) : undefined;
    if (known) options.storage.put(definitionStorage, keyOf(crd), known);
    else await apply(options, crd);
  }
}

async function apply({ client, storage, isNew }: InstallOptions, crd: KubeObject): Promise<void> {
  const before = storage.revision;
  const text = stringifyJson(crd);
  await client.resource<KubeObject>(customResourceDefinitions).apply(crd, { fieldManager: 'flotilla', force: true });
  if (!isNew) return;
  const changes = storage.changesSince(definitionStorage, before);
  const added = changes.find(({ type, key }) => type === 'ADDED' && key === keyOf(crd));
  if (added) created.set(schemaOf(crd), { text, object: added.object });
}

/** As the request would create it now; undefined if it has to be sent. */
function knownObject({ storage, clock, newUid }: InstallOptions, crd: KubeObject): KubeObject | undefined {
  const known = created.get(schemaOf(crd));
  if (known?.text !== stringifyJson(crd) || storage.get(definitionStorage, keyOf(crd))) return undefined;
  const { metadata } = known.object;
  const time = formatTime(clock.now());
  return {
    ...known.object,
    metadata: {
      ...metadata,
      uid: newUid(),
      creationTimestamp: time,
      managedFields: (metadata?.managedFields ?? []).map((entry) => ({ ...entry, time })),
    },
  };
}
