import type { ClusterRole } from '@flotilla/kube/kinds';
import { clusterRole } from './rbac.ts';

/** Allows to read metrics. An administrator binds it to what scrapes them, for example the service account of Prometheus. */
export const metricsReader = (): ClusterRole =>
  clusterRole('open-cluster-management:metrics-reader', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
