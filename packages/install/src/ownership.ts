import type { KubeObject } from '@flotilla/schema';

/**
 * Who installs objects: the command line, an operator. Each marks what it creates with its labels, and removes objects with these
 * labels only. What was on the cluster before, or belongs to another installer, stays.
 */
export interface Owner {
  /** On each object that this owner creates. */
  readonly labels: Readonly<Record<string, string>>;
  /** Of its server-side applies. */
  readonly fieldManager: string;
}

/** Whether an object has the labels of an owner. */
export const isOwnedBy = ({ labels }: Pick<Owner, 'labels'>, { metadata }: KubeObject): boolean =>
  Object.entries(labels).every(([key, value]) => metadata?.labels?.[key] === value);

/** An object with the labels of its owner. */
export const withOwner = <T extends KubeObject>({ labels }: Pick<Owner, 'labels'>, object: T): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata?.labels, ...labels } },
});
