import { type Controller, defineController, done, keyOf, on, type Result, removeFinalizer } from '@flotilla/kube';
import { type CustomResourceDefinition, customResourceDefinitions } from '@flotilla/kube/kinds';
import { formatTime } from '@flotilla/kube/meta';
import { filter, map } from 'rxjs';
import {
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
      const resource = `${definition.spec.group}/${definition.spec.names.plural}`;
      const type = registry.all().find((info) => info.storage === resource);
      const objects = type ? storage.list(resource) : [];
      if (type && objects.length > 0) await reportStatus(context, definition, inProgress);
      for (const object of objects) {
        if (type && object.metadata?.deletionTimestamp === undefined) await client.metadata(type).delete(keyOf(object));
      }
      if (type && storage.list(resource).length > 0) return done;
      const updated = await reportStatus(context, deleting(name) ?? definition, completed);
      await removeFinalizer(definitions, updated, cleanupFinalizer);
      return done;
    },
  });
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
