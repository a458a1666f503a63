import {
  after,
  type CachedResource,
  type Controller,
  defineController,
  done,
  type EventRecorder,
  on,
  type Result,
} from '@flotilla/kube';
import type { Pod, PodStatus } from '@flotilla/kube/kinds';
import { parseTime, semanticEqual } from '@flotilla/kube/meta';
import { Subject } from 'rxjs';
import type { NodeAddresses } from '../addresses/node-addresses.ts';
import type { NodeContext } from '../contracts/node-context.ts';
import type { ReferencedValues } from '../environment/container-environment.ts';
import { referencesOf } from '../environment/references.ts';
import type { ProcessHost } from '../processes/container-process.ts';
import type { ReferencedObjects } from '../references/referenced-objects.ts';
import { isTerminal, podStatus } from './pod.status.ts';
import { PodRuntime } from './pod-runtime.ts';
import type { CrashBackoff } from './restart.policy.ts';

/** What the pods of a node are run with. */
export interface PodControllerOptions {
  readonly node: NodeContext;
  /** Those of this node. */
  readonly pods: CachedResource<Pod>;
  readonly host: ProcessHost;
  readonly addresses: NodeAddresses;
  readonly objects: ReferencedObjects;
  readonly events: EventRecorder;
  readonly backoff: CrashBackoff;
}

/** Runs the pods that are bound to this node: what a kubelet does. */
export class RunningPods {
  readonly controller: Controller;
  readonly #options: PodControllerOptions;
  readonly #runtimes = new Map<string, PodRuntime>();
  readonly #wake = new Subject<string>();
  #isStopping = false;

  constructor(options: PodControllerOptions) {
    this.#options = options;
    this.controller = defineController({
      name: 'process-node-pods',
      watches: [on(options.pods), on(this.#wake), on(options.objects.changes)],
      reconcile: (key) => (this.#isStopping ? done : this.#reconcile(key)),
    });
  }

  find(key: string): PodRuntime | undefined {
    return this.#runtimes.get(key);
  }

  /** Ends all containers and resolves when they have; the pods stay as they are in the API. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const ended = [...this.#runtimes.values()].flatMap(({ all }) => all.map(({ process }) => process?.exited));
    for (const [key, runtime] of this.#runtimes) runtime.stop(graceOf(this.#options.pods.get(key)));
    await Promise.all(ended);
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.leaveNetwork()));
  }

  async #reconcile(key: string): Promise<Result> {
    const { pods, objects, node } = this.#options;
    const pod = pods.get(key);
    const running = this.#runtimes.get(key);
    if (running && running.uid !== pod?.metadata?.uid) {
      running.stop(0);
      if (running.isRunning) return done;
      await this.#forget(key, running);
    }
    if (!pod) return done;
    if (pod.metadata?.deletionTimestamp) return this.#remove(key, pod);
    if (isTerminal(pod.status?.phase)) {
      // It stays for its logs; another pod may have its address.
      await running?.leaveNetwork();
      this.#options.addresses.release(pod.metadata?.uid ?? '');
      return done;
    }
    const runtime = this.#runtimeOf(key, pod);
    objects.hold(key, namespaceOf(key), referencesOf(pod));
    const due = objects.isSynced(key) ? await runtime.sync(pod) : undefined;
    await this.#report(key, pod, runtime);
    return due === undefined ? done : after(Math.max(0, due - node.clock.now()), 'a restart or a token is due');
  }

  /** Graceful deletion: the containers first, the object when they have ended. */
  async #remove(key: string, pod: Pod): Promise<Result> {
    const { pods, node } = this.#options;
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata ?? {};
    const runtime = this.#runtimes.get(key);
    if (runtime?.isRunning) {
      const deadline = parseTime(deletionTimestamp) ?? node.clock.now() + deletionGracePeriodSeconds * 1000;
      runtime.stop(Math.max(0, deadline - node.clock.now()));
      return done;
    }
    if (runtime) {
      if (!isTerminal(pod.status?.phase)) await this.#report(key, pod, runtime);
      await this.#forget(key, runtime);
    }
    await pods.delete(key, { gracePeriodSeconds: 0, preconditions: { uid } });
    return done;
  }

  async #report(key: string, pod: Pod, runtime: PodRuntime): Promise<void> {
    const { pods, node } = this.#options;
    const status = podStatus(pod, runtime.snapshot, node.clock.now());
    if (semanticEqual(status, pod.status)) return;
    const body = { metadata: { uid: runtime.uid }, status: withRemovals(status, pod.status) };
    await pods.status.patch(key, { type: 'merge', body });
  }

  #runtimeOf(key: string, pod: Pod): PodRuntime {
    const known = this.#runtimes.get(key);
    if (known) return known;
    const { node, addresses, objects, events } = this.#options;
    const { uid = '', namespace = '' } = pod.metadata ?? {};
    const created = new PodRuntime(pod, {
      ...this.#options,
      podIP: pod.spec?.hostNetwork ? node.hostIP : addresses.of(uid),
      values: valuesOf(objects, namespace),
      onChange: () => this.#wake.next(key),
      onEvent: (type, reason, note) => events.record({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { type, reason, note }),
    });
    this.#runtimes.set(key, created);
    return created;
  }

  async #forget(key: string, runtime: PodRuntime): Promise<void> {
    this.#runtimes.delete(key);
    this.#options.addresses.release(runtime.uid);
    this.#options.objects.hold(key, namespaceOf(key), undefined);
    await runtime.remove();
  }
}

const graceOf = (pod: Pod | undefined): number => (pod?.spec?.terminationGracePeriodSeconds ?? 30) * 1000;

const namespaceOf = (key: string): string => key.split('/')[0] ?? '';

const valuesOf = (objects: ReferencedObjects, namespace: string): ReferencedValues => ({
  secret: (name) => objects.secret(namespace, name),
  configMap: (name) => objects.configMap(namespace, name),
});

/** A merge patch keeps what it does not name. */
const withRemovals = (next: PodStatus, before: PodStatus = {}): object => ({
  ...Object.fromEntries(
    Object.keys(before)
      .filter((key) => !(key in next))
      .map((key) => [key, null]),
  ),
  ...next,
});
