import { type Controller, defineController, done, KubeError, on, type Result } from '@flotilla/kube';
import { type Namespace, namespaces } from '@flotilla/kube/kinds';
import { filter, map } from 'rxjs';
import type { ResourceInfo } from '../../contracts/resource-info.ts';
import type { ControllerContext } from '../context.ts';
import type { ObjectChange } from '../object-feed.ts';
import { createResourceTypes } from '../resource-types.ts';
import { namespaceConditions, type Remains } from './namespace.status.ts';

const finalizer = 'kubernetes';

/** Deletes the content of namespaces that are being deleted, reports what remains, and removes the finalizer. */
export function namespaceController(context: ControllerContext): Controller {
  const spaces = context.informers.resource(namespaces);
  const types = createResourceTypes(context.registry);
  const isTerminating = (name: string | undefined): name is string =>
    name !== undefined && spaces.get(name)?.metadata?.deletionTimestamp !== undefined;
  const contentLeaves = context.feed.pipe(
    filter(({ change }) => change.type !== 'ADDED' && isTerminating(change.object.metadata?.namespace)),
    filter(isProgress),
    map(({ change }) => change.object.metadata?.namespace ?? ''),
  );

  return defineController({
    name: 'namespace',
    watches: [on(spaces), on(contentLeaves)],
    async reconcile(name): Promise<Result> {
      const space = spaces.get(name);
      if (!space?.metadata?.deletionTimestamp || !space.spec?.finalizers?.includes(finalizer)) return done;
      const remains = await removeContent(context, [...types().values()], name);
      const updated = await reportStatus(context, space, remains);
      if (remains.failures.length > 0) {
        throw new KubeError('Internal', `namespace ${name} cannot be emptied: ${remains.failures.join(', ')}`);
      }
      // Remaining objects wait for finalizers or their grace period; each deletion enqueues the namespace again.
      if (remains.resources.size > 0) return done;
      const finalizers = updated.spec?.finalizers?.filter((one) => one !== finalizer) ?? [];
      await context.client
        .resource(namespaces)
        .subresource<Namespace>('finalize')
        .replace({ ...updated, spec: { ...updated.spec, finalizers } });
      return done;
    },
  });
}

/** An object was deleted, or one of its finalizers removed. */
const isProgress = ({ change }: ObjectChange): boolean =>
  change.type === 'DELETED' ||
  change.object.metadata?.finalizers?.join() !== change.previous?.metadata?.finalizers?.join();

/** Pods are deleted first: they may need other objects, such as network policies, until they end. */
async function removeContent(
  context: ControllerContext,
  types: readonly ResourceInfo[],
  namespace: string,
): Promise<Remains> {
  const namespaced = types.filter((info) => info.namespaced && info.verbs.includes('deletecollection'));
  const pods = namespaced.filter(({ storage }) => storage === '/pods');
  const first = await removeKinds(context, pods, namespace);
  if (first.resources.size > 0 || first.failures.length > 0) return first;
  return removeKinds(
    context,
    namespaced.filter((info) => !pods.includes(info)),
    namespace,
  );
}

async function removeKinds(
  { client, storage }: ControllerContext,
  types: readonly ResourceInfo[],
  namespace: string,
): Promise<Remains> {
  const resources = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  for (const info of types) {
    const here = storage.list(info.storage, namespace);
    if (here.length === 0) continue;
    // Objects that are being deleted need not be deleted again.
    if (here.some(({ metadata }) => metadata?.deletionTimestamp === undefined)) {
      try {
        await client.metadata(info).deleteCollection({ namespace });
      } catch (error) {
        failures.push(KubeError.from(error).message);
      }
    }
    const remaining = storage.list(info.storage, namespace);
    if (remaining.length > 0) resources.set(`${info.plural}.${info.group}`, remaining.length);
    for (const name of remaining.flatMap(({ metadata }) => metadata?.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
  }
  return { resources, finalizers, failures };
}

/** Writes the conditions if they changed; returns the current namespace. */
async function reportStatus(
  { client, clock }: ControllerContext,
  space: Namespace,
  remains: Remains,
): Promise<Namespace> {
  const before = space.status?.conditions ?? [];
  const conditions = namespaceConditions(before, remains, clock.now());
  if (conditions === before) return space;
  return client
    .resource(namespaces)
    .status.replace({ ...space, status: { ...space.status, conditions: [...conditions] } });
}
