import type { ResourceType } from '@flotilla/schema';

/** Which objects of a kind are watched. */
export interface Selection {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** Names a selection in logs, metrics and errors: `leases.coordination.k8s.io`, then `in <namespace>` and the selectors if any. */
export function describeSelection(type: ResourceType, { namespace, labelSelector, fieldSelector }: Selection): string {
  const parts = [type.group === '' ? type.plural : `${type.plural}.${type.group}`];
  if (namespace) parts.push(`in ${namespace}`);
  if (labelSelector) parts.push(`with labels ${labelSelector}`);
  if (fieldSelector) parts.push(`with fields ${fieldSelector}`);
  return parts.join(' ');
}
