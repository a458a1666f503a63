import { type Controller, defineController, done, keyOf, on, type Result, removeFinalizer } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitions } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import { filter, map } from 'rxjs';
import { customStorage } from '../schema/custom.ts';
import {
  asDefinition,
  cleanupFinalizer,
  type DefinitionCondition,
  definitionStorage,
  withCondition,
} from '../schema/definitions/definition.ts';
import type { ControllerContext } from './context.ts';

const inProgress: DefinitionCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const completed: DefinitionCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};

/** Deletes the objects of a definition that is being deleted, and removes the finalizer after the last one. */
export function customResourceCleanup(context: ControllerContext): Controller {
  const { feed, storage, registry, client } = context;
  const definitions = client.resource(customResourceDefinitions);
  const deleting = (name: string): CustomResourceDefinition | undefined => {
    const definition = storage.get(definitionStorage, name);
    return definition?.metadata?.deletionTimestamp ? (definition as CustomResourceDefinition) : undefined;
  };
  // Definitions are large: an informer would read each again.
  const due = feed.pipe(
    filter(({ storage: resource, change }) => resource === definitionStorage || change.type === 'DELETED'),
    map(({ storage: resource, change }) => (resource === definitionStorage ? change.key : nameOf(resource))),
    filter((name) => deleting(name) !== undefined),
  );
  return defineController({
    name: 'custom-resource-cleanup',
    watches: [on(due)],
    async reconcile(name): Promise<Result> {
      const definition = deleting(name);
      if (!definition?.metadata?.finalizers?.includes(cleanupFinalizer)) return done;
      // Served or not: objects that stay would come back with the next definition of the name.
      const resource = customStorage(asDefinition(definition));
      const isCustom = !registry.all().some((info) => info.storage === resource && info.source === 'built-in');
      const objects = isCustom ? storage.list(resource) : [];
      if (objects.length > 0) await reportStatus(context, definition, inProgress);
      for (const object of objects) removeObject(context, resource, object);
      if (isCustom && storage.list(resource).length > 0) return done;
      const updated = await reportStatus(context, deleting(name) ?? definition, completed);
      await removeFinalizer(definitions, updated, cleanupFinalizer);
      return done;
    },
  });
}

/** As kube-apiserver: without admission, which is not asked about all that a definition takes with it. */
function removeObject({ storage, clock }: ControllerContext, resource: string, { metadata }: KubeObject): void {
  const key = keyOf({ metadata });
  // It may have changed while the status was written.
  const object = storage.get(resource, key);
  if (!object || object.metadata?.deletionTimestamp !== undefined) return;
  if (!object.metadata?.finalizers?.length) {
    storage.delete(resource, key);
    return;
  }
  const deletion = { deletionTimestamp: formatTime(clock.now()), deletionGracePeriodSeconds: 0 };
  const { generation } = object.metadata;
  const counted = generation !== undefined && { generation: generation + 1 };
  storage.put(resource, key, { ...object, metadata: { ...object.metadata, ...deletion, ...counted } });
}

/** `example.com/widgets` is defined by `widgets.example.com`. */
const nameOf = (resource: string): string => {
  const slash = resource.indexOf('/');
  return `${resource.slice(slash + 1)}.${resource.slice(0, slash)}`;
};

/** Writes the condition if it changed; returns the current definition. */
async function reportStatus(
  { client, clock }: ControllerContext,
  definition: CustomResourceDefinition,
  condition: DefinitionCondition,
): Promise<CustomResourceDefinition> {
  const before = (definition.status?.conditions ?? []) as readonly DefinitionCondition[];
  if (before.find(({ type }) => type === condition.type)?.reason === condition.reason) return definition;
  const conditions = withCondition(before, condition, formatTime(clock.now()));
  const status = { ...definition.status, conditions } as CustomResourceDefinition['status'];
  return client.resource(customResourceDefinitions).status.replace({ ...definition, ...(status && { status }) });
}
