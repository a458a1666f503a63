import { apiVersionOf } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';

/** An object that says what it is. */
export type TypedObject = KubeObject & { readonly apiVersion: string; readonly kind: string };

/** An object with what it is: lists of the API leave that out. */
export const withKind = (type: ResourceType, object: KubeObject): TypedObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  ...object,
});

/** What `-o name` prints of an object, as kubectl does: `managedcluster.cluster.open-cluster-management.io/cluster1`. */
export function kubectlName({ apiVersion = '', kind = '', metadata }: KubeObject): string {
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [];
  return `${kind.toLowerCase()}${group ? `.${group}` : ''}/${metadata?.name ?? ''}`;
}
