import { Annotation } from '@flotilla/api-types';
import { isRecord } from '@flotilla/schema';
import type { Manifest } from '../definition/manifest.ts';
import type { ManifestLocation } from '../manifests/marks.ts';
import { describeManifest } from '../manifests/rendered-manifest.ts';

/** How often and how long a hook may try. */
export interface PreDeleteOptions {
  /** Of a Job: how often a failed pod is started again (`backoffLimit`). What fails for good is run anew after a while all the same. */
  readonly retries?: number;
  /** How long it may run (`activeDeadlineSeconds`). */
  readonly timeoutSeconds?: number;
}

const withAnnotation = <T extends Manifest>(manifest: T, key: string, value: string): T => {
  const { metadata = {} } = manifest;
  const annotations = isRecord(metadata.annotations) ? metadata.annotations : {};
  return { ...manifest, metadata: { ...metadata, annotations: { ...annotations, [key]: value } } };
};

/** Marks objects that run at a certain time. */
export const hook = {
  /** Runs a Job or Pod before the add-on is removed from a cluster, and holds the add-on until it has succeeded. */
  preDelete<T extends Manifest>(manifest: T, { retries, timeoutSeconds }: PreDeleteOptions = {}): T {
    const isJob = manifest.kind === 'Job';
    if (!isJob && manifest.kind !== 'Pod') {
      throw new TypeError(`${describeManifest(manifest)} cannot be a pre-delete hook; use a Job or a Pod`);
    }
    if (!isJob && retries !== undefined) {
      throw new TypeError(`${describeManifest(manifest)} is a Pod, which is not retried; use a Job`);
    }
    const spec = 'spec' in manifest && isRecord(manifest.spec) ? manifest.spec : {};
    const limits = {
      ...(retries !== undefined && { backoffLimit: retries }),
      ...(timeoutSeconds !== undefined && { activeDeadlineSeconds: timeoutSeconds }),
    };
    const marked = withAnnotation(manifest, Annotation.AddOnPreDelete, '');
    return Object.keys(limits).length > 0 ? { ...marked, spec: { ...spec, ...limits } } : marked;
  },
};

/**
 * Leaves an object on the cluster when the add-on is removed. `resource` is the plural name of its kind, where that is not the usual
 * one: `gateways` for a Gateway.
 */
export const orphan = <T extends Manifest>(manifest: T, resource = ''): T =>
  withAnnotation(manifest, Annotation.DeletionOrphan, resource);

/** Says where an object goes when the agent is hosted by another cluster. */
export const at = <T extends Manifest>(location: ManifestLocation, manifest: T): T =>
  withAnnotation(manifest, Annotation.HostedManifestLocation, location);

/** A list of manifests without what a condition left out: `objects(deployment, isOpenShift && route)`. */
export const objects = (...manifests: readonly (Manifest | false | null | undefined)[]): Manifest[] =>
  manifests.filter((manifest) => manifest !== false && manifest !== null && manifest !== undefined);
