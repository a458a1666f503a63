import { Annotation, type Klusterlet } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import { parseTime } from '@flotilla/kube/meta';

/** How long a managed cluster may be out of reach before its klusterlet is removed without it: OCM's. */
export const evictionMs = 5 * 60_000;

/** Whether an error means that there is nobody at the address: no answer, no such host, connection refused. */
export const isOutOfReach = (error: unknown): boolean =>
  KubeError.is(error, 'Unavailable', 'Timeout') && error.status === undefined;

/** Since when the managed cluster has been out of reach. */
export const outOfReachSince = ({ metadata }: Klusterlet): number | undefined =>
  parseTime(metadata?.annotations?.[Annotation.ManagedResourcesEvictionTimestamp]);
