import { Annotation, Label, NamespaceName } from '@flotilla/api-types';
import type { Namespace } from '@flotilla/kube/kinds';
import type { KlusterletConfig } from '../config/klusterlet-config.ts';

/** OpenShift may run the pods of such a namespace beside the control plane. */
const managementWorkload = { [Annotation.OpenShiftWorkloadAllowed]: 'management' };

const namespace = (name: string, labels?: Record<string, string>): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations: managementWorkload, ...(labels && { labels }) },
});

/** The namespace of a klusterlet on its managed cluster. Its label says which klusterlet it is of. */
export const managedNamespace = ({ name, klusterletNamespace }: KlusterletConfig): Namespace =>
  namespace(klusterletNamespace, { [Label.KlusterletNamespace]: name });

/** The namespace of hosted agents. */
export const hostedNamespace = (klusterlet: string): Namespace => namespace(klusterlet);

/** The namespace of add-ons, which all klusterlets of a cluster share. */
export const addOnNamespace = (): Namespace => namespace(NamespaceName.AgentAddOn);
