import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timeAfter } from '@flotilla/kube/clock';
import type { Container, Pod } from '@flotilla/kube/kinds';
import { findImage, type Image, imageNames } from '../contracts/image.ts';
import type { NodeContext } from '../contracts/node-context.ts';
import {
  ContainerConfigError,
  containerEnvironment,
  type ReferencedValues,
} from '../environment/container-environment.ts';
import { expand } from '../environment/expand.ts';
import { memoryLimitOf, type PodPlacement } from '../environment/pod-fields.ts';
import { programPath } from '../environment/program-path.ts';
import { PodNetwork } from '../network/pod-network.ts';
import type { ProcessHost, ProcessSpec } from '../processes/container-process.ts';
import { PodVolumes } from '../volumes/pod-volumes.ts';
import { programMounts } from '../volumes/program-mounts.ts';
import { MountError } from '../volumes/volume-files.ts';
import { ContainerRuntime } from './container-runtime.ts';
import type { PodSnapshot } from './pod.status.ts';
import {
  type CrashBackoff,
  containerStep,
  type InitProgress,
  initProgress,
  restartPolicyOf,
} from './restart.policy.ts';

/** What a pod of this node runs with. */
export interface PodRuntimeOptions {
  readonly node: NodeContext;
  readonly host: ProcessHost;
  readonly podIP: string;
  readonly values: ReferencedValues;
  readonly backoff: CrashBackoff;
  /** The pod is to be reconciled. */
  readonly onChange: () => void;
  readonly onEvent: (type: 'Normal' | 'Warning', reason: string, note: string) => void;
}

/** One pod of this node: its volumes and its containers. */
export class PodRuntime {
  readonly uid: string;
  readonly podIP: string;
  readonly init: readonly ContainerRuntime[];
  readonly containers: readonly ContainerRuntime[];
  readonly #options: PodRuntimeOptions;
  readonly #directory: string;
  readonly #volumes: PodVolumes;
  readonly #hasOwnNetwork: boolean;
  #network: PodNetwork | undefined;
  #isSetUp = false;

  constructor(pod: Pod, options: PodRuntimeOptions) {
    const { node, host, podIP, backoff, onChange, onEvent } = options;
    this.#options = options;
    this.uid = pod.metadata?.uid ?? '';
    this.podIP = podIP;
    this.#hasOwnNetwork = host.network !== undefined && !pod.spec?.hostNetwork;
    this.#directory = join(node.directory, 'pods', this.uid);
    this.#volumes = new PodVolumes({
      directory: this.#directory,
      client: node.client,
      clock: node.clock,
      ...(node.allow.hostPaths && { hostPaths: node.allow.hostPaths }),
    });
    const waitingReason = pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating';
    const runtime = (container: Container) => {
      const reported = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
      const status = reported.find(({ name }) => name === container.name);
      const logDirectory = join(this.#directory, 'logs', container.name);
      const common = { container, host, podIP, logDirectory, backoff, waitingReason, onChange, onEvent } as const;
      return new ContainerRuntime({ ...common, ...(status && { reported: status }) });
    };
    this.init = (pod.spec?.initContainers ?? []).map(runtime);
    this.containers = (pod.spec?.containers ?? []).map(runtime);
  }

  get all(): readonly ContainerRuntime[] {
    return [...this.init, ...this.containers];
  }

  get isRunning(): boolean {
    return this.all.some(({ isRunning }) => isRunning);
  }

  get snapshot(): PodSnapshot {
    return {
      podIP: this.podIP,
      hostIP: this.#options.node.hostIP,
      isSetUp: this.#isSetUp,
      init: this.init.map(({ snapshot }) => snapshot),
      containers: this.containers.map(({ snapshot }) => snapshot),
    };
  }

  /** Starts what can be started now; answers when it must be called again although nothing changed. */
  async sync(pod: Pod): Promise<number | undefined> {
    const { node, values } = this.#options;
    try {
      await this.#volumes.sync(pod, { values, placement: this.#placement() });
    } catch (error) {
      if (!(error instanceof MountError)) throw error;
      this.#options.onEvent('Warning', 'FailedMount', error.message);
      return timeAfter(node.clock.now(), 30_000);
    }
    try {
      await this.#joinNetwork();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.onEvent('Warning', 'FailedCreatePodSandBox', message);
      return timeAfter(node.clock.now(), 10_000);
    }
    this.#isSetUp = true;
    const times = [this.#volumes.refreshAt];
    for (const [index, runtime] of this.init.entries()) {
      const progress = this.#initProgress(pod);
      const isDue = progress.kind === 'done' || (progress.kind === 'at' && progress.index >= index);
      if (isDue) times.push(await this.#step(pod, runtime, true));
    }
    if (this.#initProgress(pod).kind === 'done') {
      for (const runtime of this.containers) times.push(await this.#step(pod, runtime, false));
    }
    const due = times.filter((time) => time !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }

  /** Ends all containers; the pod is reconciled when each has. */
  stop(graceMs: number): void {
    for (const runtime of this.all) {
      if (!runtime.isRunning) continue;
      this.#options.onEvent('Normal', 'Killing', `Stopping container ${runtime.container.name}`);
      runtime.stop(graceMs);
    }
  }

  /** To be called when all containers have ended: the address may be another pod's from then on. */
  async leaveNetwork(): Promise<void> {
    const network = this.#network;
    this.#network = undefined;
    await network?.close();
  }

  async remove(): Promise<void> {
    await this.leaveNetwork();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #joinNetwork(): Promise<void> {
    const { host, podIP } = this.#options;
    if (this.#hasOwnNetwork && host.network) this.#network ??= await PodNetwork.start(host.network, podIP, host);
  }

  /** A container: started, waited for, or left as it is. */
  async #step(pod: Pod, runtime: ContainerRuntime, isInit: boolean): Promise<number | undefined> {
    const { node, backoff, onEvent } = this.#options;
    const policy = restartPolicyOf(pod);
    const step = containerStep(runtime.snapshot, { policy, isInit, backoff, now: node.clock.now() });
    if (step.kind === 'leave') return undefined;
    const { name } = runtime.container;
    if (step.kind === 'back-off') {
      const { namespace, name: podName, uid } = pod.metadata ?? {};
      const seconds = Math.ceil(step.ms / 1000);
      const message = `back-off ${seconds}s restarting failed container=${name} pod=${podName}_${namespace}(${uid})`;
      runtime.pause(message);
      onEvent(
        'Warning',
        'BackOff',
        `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`,
      );
      return step.at;
    }
    return this.#start(pod, runtime);
  }

  #initProgress(pod: Pod): InitProgress {
    const snapshots = this.init.map(({ snapshot }) => snapshot);
    return initProgress(snapshots, restartPolicyOf(pod));
  }

  async #start(pod: Pod, runtime: ContainerRuntime): Promise<number | undefined> {
    const { node, onEvent } = this.#options;
    const { container } = runtime;
    const reference = container.image ?? '';
    const image = findImage(node.images, reference);
    if (!image) {
      const message = `the process node "${node.name}" has no image ${JSON.stringify(reference)}; it has: ${imageNames(node.images)}`;
      const isNever = container.imagePullPolicy === 'Never';
      runtime.wait(isNever ? 'ErrImageNeverPull' : 'ImagePullBackOff', message);
      onEvent('Warning', isNever ? 'ErrImageNeverPull' : 'Failed', message);
      return undefined;
    }
    try {
      const spec = this.#specOf(pod, container, image);
      onEvent('Normal', 'Pulled', `Container image ${JSON.stringify(reference)} already present on machine`);
      await runtime.start(spec);
      return undefined;
    } catch (error) {
      const isConfig = error instanceof ContainerConfigError || error instanceof MountError;
      const message = error instanceof Error ? error.message : String(error);
      runtime.wait(isConfig ? 'CreateContainerConfigError' : 'RunContainerError', message);
      onEvent('Warning', 'Failed', `Error: ${message}`);
      // An object that is missing wakes the pod when it comes; what else is wrong may pass.
      return timeAfter(node.clock.now(), 10_000);
    }
  }

  #specOf(pod: Pod, container: Container, image: Image): ProcessSpec {
    const { node, values, podIP } = this.#options;
    const base = { ...node.environment, HOSTNAME: pod.spec?.hostname ?? pod.metadata?.name ?? '' };
    const env = containerEnvironment({
      pod,
      container,
      values,
      placement: this.#placement(),
      base,
      ...(node.allow.variables && { allowedVariables: node.allow.variables }),
    });
    const mounts = this.#volumes.mountsOf(pod, container, env);
    const memoryLimit = memoryLimitOf(container);
    const context = {
      pod,
      container,
      podIP,
      hostIP: node.hostIP,
      command: (container.command ?? []).map((part) => expand(part, env)),
      args: (container.args ?? []).map((part) => expand(part, env)),
      env,
      mounts,
      ...(memoryLimit !== undefined && { memoryLimit }),
    };
    const started = image(context);
    return {
      command: started.command,
      args: started.args ?? [],
      env: { ...env, ...started.env },
      mounts: [...mounts, ...programMounts([...(started.files ?? []), ...programPath().filter(existsSync)], mounts)],
      workingDirectory: container.workingDir || '/',
      ...(this.#network && { network: this.#network.path }),
    };
  }

  #placement(): PodPlacement {
    const { node, podIP } = this.#options;
    return { podIP, hostIP: node.hostIP, allocatable: node.capacity };
  }
}
