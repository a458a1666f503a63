import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, KubeClient } from '@flotilla/kube';
import type { Container, Pod, Volume, VolumeProjection } from '@flotilla/kube/kinds';
import type { ContainerMount } from '../contracts/image.ts';
import type { ReferencedValues } from '../environment/container-environment.ts';
import { expand } from '../environment/expand.ts';
import type { PodPlacement } from '../environment/pod-fields.ts';
import { AtomicDirectory, type VolumeFile } from './atomic-directory.ts';
import { expectAllowedPath, expectMountable, expectWithin } from './mount-checks.ts';
import { ServiceAccountTokens } from './service-account-tokens.ts';
import { downwardFiles, MountError, objectFiles, safePath } from './volume-files.ts';

/** What the volumes of a pod are made of. */
export interface VolumeContext {
  readonly values: ReferencedValues;
  readonly placement: PodPlacement;
}

interface VolumesOptions {
  /** Of the pod. */
  readonly directory: string;
  readonly client: Pick<KubeClient, 'resource'>;
  readonly clock: Clock;
  /** Directories of the machine that the pod may see. */
  readonly hostPaths?: readonly string[];
}

type Files = Map<string, VolumeFile>;

/** The volumes of one pod as directories below its own. */
export class PodVolumes {
  readonly #directory: string;
  readonly #tokens: ServiceAccountTokens;
  readonly #hostPaths: readonly string[];
  readonly #written = new Map<string, AtomicDirectory>();

  constructor(options: VolumesOptions) {
    this.#directory = options.directory;
    this.#hostPaths = options.hostPaths ?? [];
    this.#tokens = new ServiceAccountTokens(options.client, options.clock);
  }

  /** When they must be synced again although no object changed: a token is due. */
  get refreshAt(): number | undefined {
    return this.#tokens.refreshAt;
  }

  /** Brings all volumes to the present state of what they show. Throws MountError for one that cannot be. */
  async sync(pod: Pod, context: VolumeContext): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) await this.#syncVolume(pod, volume, context);
  }

  /** The mounts of a container; the volumes must be synced. */
  mountsOf(pod: Pod, container: Container, env: Readonly<Record<string, string>>): ContainerMount[] {
    return (container.volumeMounts ?? []).map(({ name, mountPath, subPath, subPathExpr, readOnly = false }) => {
      const volume = pod.spec?.volumes?.find((candidate) => candidate.name === name);
      if (!volume)
        throw new MountError(`container "${container.name}" mounts volume "${name}", which the pod does not have`);
      const below = subPathExpr === undefined ? subPath : expand(subPathExpr, env);
      const root = volume.hostPath?.path ?? this.#path(name);
      const path = below ? join(root, safePath(below)) : root;
      expectMountable(mountPath);
      if (volume.hostPath) expectAllowedPath(root, this.#hostPaths);
      if (below) expectWithin(path, root);
      return {
        mountPath,
        path,
        // A process must not write where the next version of the files replaces what it wrote.
        readOnly: readOnly || isWritten(volume),
      };
    });
  }

  remove(): Promise<void> {
    return rm(this.#directory, { recursive: true, force: true });
  }

  #path(volume: string): string {
    return join(this.#directory, 'volumes', volume);
  }

  async #syncVolume(pod: Pod, volume: Volume, context: VolumeContext): Promise<void> {
    const { name, emptyDir, hostPath } = volume;
    if (hostPath) return;
    if (emptyDir) {
      await mkdir(this.#path(name), { recursive: true, mode: 0o700 });
      return;
    }
    const directory = this.#written.get(name) ?? new AtomicDirectory(this.#path(name));
    this.#written.set(name, directory);
    try {
      await directory.write(await this.#filesOf(pod, volume, context));
    } catch (error) {
      if (!(error instanceof MountError)) throw error;
      throw new MountError(`MountVolume.SetUp failed for volume "${name}" : ${error.message}`);
    }
  }

  async #filesOf(pod: Pod, volume: Volume, { values, placement }: VolumeContext): Promise<Files> {
    const { secret, configMap, downwardAPI, projected } = volume;
    if (secret) {
      const { secretName: name = '', ...selection } = secret;
      return objectFiles(values.secret(name), { ...selection, kind: 'secret', name });
    }
    if (configMap) {
      const { name = '' } = configMap;
      return objectFiles(values.configMap(name), { ...configMap, kind: 'configmap', name });
    }
    if (downwardAPI) return downwardFiles(pod, downwardAPI.items ?? [], placement, downwardAPI.defaultMode);
    if (!projected) {
      const kinds = 'secret, configMap, downwardAPI, projected, emptyDir and hostPath';
      throw new MountError(`the process node has volumes of the kinds ${kinds} only`);
    }
    const files: Files = new Map();
    for (const source of projected.sources ?? []) {
      const part = await this.#projectedFiles(pod, source, { values, placement }, projected.defaultMode);
      for (const [path, file] of part) files.set(path, file);
    }
    return files;
  }

  async #projectedFiles(
    pod: Pod,
    source: VolumeProjection,
    { values, placement }: VolumeContext,
    defaultMode = 0o644,
  ): Promise<Files> {
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    if (secret) {
      const { name = '' } = secret;
      return objectFiles(values.secret(name), { ...secret, kind: 'secret', name, defaultMode });
    }
    if (configMap) {
      const { name = '' } = configMap;
      return objectFiles(values.configMap(name), { ...configMap, kind: 'configmap', name, defaultMode });
    }
    if (downwardAPI) return downwardFiles(pod, downwardAPI.items ?? [], placement, defaultMode);
    if (!serviceAccountToken) {
      throw new MountError('a projected source is none of secret, configMap, downwardAPI and serviceAccountToken');
    }
    const token = await this.#tokens.token(pod, serviceAccountToken);
    return new Map([[safePath(serviceAccountToken.path), { content: Buffer.from(token), mode: 0o600 }]]);
  }
}

const isWritten = ({ secret, configMap, downwardAPI, projected }: Volume): boolean =>
  Boolean(secret || configMap || downwardAPI || projected);
