import { randomUUID } from 'node:crypto';

/** One key of etcd; the value is base64, as etcd's JSON has it. */
export type Entry = readonly [key: string, value: string];

/**
 * What a first start spends its time on, and what each later start compares with what it wants, as after an upgrade.
 * All else makes a cluster that cluster: namespaces, above all kube-system, whose uid is the cluster's identity, and all in
 * them that holds certificates or names the process. It is left out and made anew by each start.
 */
const keptPrefixes = [
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
  'clusterrolebindings',
  'clusterroles',
  'flowschemas',
  'priorityclasses',
  'prioritylevelconfigurations',
  'rolebindings',
  'roles',
].map((resource) => `/registry/${resource}/`);

/** Whether a key belongs into a snapshot. */
export const isKept = (key: string): boolean => keptPrefixes.some((prefix) => key.startsWith(prefix));

/** The field `uid` of an object's metadata, in JSON or in protobuf: field 5, 36 bytes. */
const uidField = /("uid":"|\x2a\x24)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** The same object as another one: no two clusters have a uid in common. */
export const withFreshUid = ([key, value]: Entry): Entry => {
  const bytes = Buffer.from(value, 'base64').toString('latin1');
  const fresh = bytes.replace(uidField, (_field, start: string) => `${start}${randomUUID()}`);
  return [key, Buffer.from(fresh, 'latin1').toString('base64')];
};
