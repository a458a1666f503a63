import { type Controller, defineController, done, joinKey, KubeError, on, type Result } from '@flotilla/kube';
import type { KubeObject, OwnerReference } from '@flotilla/schema';
import { filter, mergeMap, type Observable } from 'rxjs';
import type { ControllerContext } from '../context.ts';
import { createResourceTypes } from '../resource-types.ts';
import { decide, type OwnerState } from './garbage-collector.policy.ts';
import { deletionOf, foregroundFinalizer, type Node, OwnerGraph, orphanFinalizer } from './owner-graph.ts';

/** Deletes objects without owners; with foreground deletion, keeps owners until their dependents are gone. Keys are uids. */
export function garbageCollector(context: ControllerContext): Controller {
  const graph = new OwnerGraph();
  const unresolved = new Set<string>();
  const collector = new Collector(context, graph, unresolved);
  const due: Observable<string> = context.feed.pipe(
    mergeMap((change) => {
      const uids = graph.observe(change);
      // A kind that becomes known may be that of owners which could not be looked up.
      if (change.storage === 'apiextensions.k8s.io/customresourcedefinitions')
        for (const uid of unresolved) uids.add(uid);
      return uids;
    }),
    filter((uid) => graph.node(uid) !== undefined),
  );
  return defineController({
    name: 'garbage-collector',
    watches: [on(due)],
    reconcile: (uid) => collector.reconcile(uid),
  });
}

class Collector {
  readonly #context: ControllerContext;
  readonly #graph: OwnerGraph;
  readonly #unresolved: Set<string>;
  readonly #types: ReturnType<typeof createResourceTypes>;

  constructor(context: ControllerContext, graph: OwnerGraph, unresolved: Set<string>) {
    this.#context = context;
    this.#graph = graph;
    this.#unresolved = unresolved;
    this.#types = createResourceTypes(context.registry);
  }

  async reconcile(uid: string): Promise<Result> {
    const node = this.#graph.node(uid);
    const object = node && this.#live(node);
    if (!node || !object) {
      this.#unresolved.delete(uid);
      return done;
    }
    const deletion = deletionOf(object);
    if (deletion === 'orphan') await this.#orphanDependents(node, object);
    else if (deletion === 'foreground') await this.#finishForeground(node, object);
    else if (deletion === 'none') await this.#collect(node, object);
    return done;
  }

  /** The object as it is stored now, unless it was replaced by a namesake. */
  #live({ uid, storage, key }: Node): KubeObject | undefined {
    const object = this.#context.storage.get(storage, key);
    return object?.metadata?.uid === uid ? object : undefined;
  }

  async #collect(node: Node, object: KubeObject): Promise<void> {
    const dependents = this.#graph.dependentsOf(node.uid);
    const owners = (object.metadata?.ownerReferences ?? []).map((reference) => ({
      reference,
      state: this.#stateOf(reference, object),
    }));
    if (owners.some(({ state }) => state === 'unknown')) this.#unresolved.add(node.uid);
    else this.#unresolved.delete(node.uid);
    const decision = decide({
      owners,
      hasDependents: dependents.length > 0,
      inCircle: dependents.some(({ deletion }) => deletion === 'foreground'),
      finalizers: object.metadata?.finalizers ?? [],
    });
    if (decision.kind === 'disown') await this.#disown(node, object, decision.uids);
    if (decision.kind !== 'delete') return;
    if (decision.unblock) await this.#unblock(node, object);
    this.#context.log.debug('deleted what its owners left behind', { kind: node.storage, object: node.key });
    await this.#handle(node)?.delete(node.key, {
      preconditions: { uid: node.uid },
      propagationPolicy: decision.policy,
    });
  }

  /** Owners are looked up by what the reference says, in the namespace of the dependent: an owner in another namespace does not count. */
  #stateOf({ apiVersion, kind, name, uid }: OwnerReference, { metadata }: KubeObject): OwnerState {
    const slash = apiVersion.indexOf('/');
    const group = slash < 0 ? '' : apiVersion.slice(0, slash);
    const info = this.#context.registry.forKind(group, apiVersion.slice(slash + 1), kind);
    if (!info || (info.namespaced && metadata?.namespace === undefined)) return 'unknown';
    const owner = this.#context.storage.get(
      info.storage,
      joinKey(info.namespaced ? metadata?.namespace : undefined, name),
    );
    if (owner?.metadata?.uid !== uid) return 'absent';
    return deletionOf(owner) === 'foreground' ? 'waiting' : 'solid';
  }

  async #orphanDependents(node: Node, object: KubeObject): Promise<void> {
    for (const dependent of this.#graph.dependentsOf(node.uid)) {
      const live = this.#live(dependent);
      if (live) await this.#disown(dependent, live, [node.uid]);
    }
    await this.#removeFinalizer(node, object, orphanFinalizer);
  }

  /** An owner is deleted when no dependent that blocks its deletion is left; those are being deleted already. */
  async #finishForeground(node: Node, object: KubeObject): Promise<void> {
    const blocking = this.#graph
      .dependentsOf(node.uid)
      .some(({ owners }) => owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion));
    if (!blocking) await this.#removeFinalizer(node, object, foregroundFinalizer);
  }

  #disown(node: Node, object: KubeObject, uids: readonly string[]): Promise<void> {
    const ownerReferences = (object.metadata?.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
    return this.#patch(node, object, { ownerReferences });
  }

  #unblock(node: Node, object: KubeObject): Promise<void> {
    const ownerReferences = (object.metadata?.ownerReferences ?? []).map((reference) => ({
      ...reference,
      blockOwnerDeletion: false,
    }));
    return this.#patch(node, object, { ownerReferences });
  }

  #removeFinalizer(node: Node, object: KubeObject, finalizer: string): Promise<void> {
    const finalizers = (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer);
    return this.#patch(node, object, { finalizers });
  }

  async #patch(node: Node, { metadata }: KubeObject, fields: object): Promise<void> {
    const body = { metadata: { uid: node.uid, resourceVersion: metadata?.resourceVersion, ...fields } };
    try {
      await this.#handle(node)?.patch(node.key, { type: 'merge', body });
    } catch (error) {
      if (!KubeError.is(error, 'NotFound')) throw error;
    }
  }

  #handle({ storage }: Node) {
    const type = this.#types().get(storage);
    return type && this.#context.client.metadata(type);
  }
}
