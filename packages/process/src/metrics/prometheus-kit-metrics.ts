import type { KitMetrics, KitMetricsSubject } from '@flotilla/kube/metrics';
import type { Metrics } from './metrics.ts';

/** Makes the KitMetrics of one client or controller group; `client` (`hub`, `spoke`) is the label of its series. */
export type KitMetricsFactory = (client: string) => KitMetrics;

/**
 * The kit's metrics for Prometheus, under the names of client-go and controller-runtime where they have one, so that
 * existing dashboards and alerts work. Call it once for a process and the result once for each client.
 */
export function kitMetricsFor(metrics: Metrics): KitMetricsFactory {
  const families = kitFamilies(metrics);
  return (client) => ({
    request({ verb, host, code }, seconds) {
      families.requests.add({ client, host, method: verb, code });
      families.requestSeconds.observe({ client, host, verb }, seconds);
    },
    retry({ verb, host, reason }) {
      families.retries.add({ client, host, verb, code: reason });
    },
    watchActivity({ resource }, epochSeconds) {
      families.watchActivity.set({ client, resource }, epochSeconds);
      families.watchAge.set({ client, resource }, epochSeconds);
    },
    watchRestart: ({ resource, reason }) => families.watchRestarts.add({ client, resource, reason }),
    storeSize: ({ resource }, objects) => families.storeObjects.set({ client, resource }, objects),
    queueDepth: ({ controller }, depth) => families.queueDepth.set({ name: controller, controller }, depth),
    queueWait: ({ controller }, seconds) => families.queueSeconds.observe({ name: controller, controller }, seconds),
    reconcile({ controller, result }, seconds) {
      families.reconciles.add({ controller, result: resultLabels[result] });
      families.reconcileSeconds.observe({ controller }, seconds);
      if (result === 'error' || result === 'terminal') families.reconcileErrors.add({ controller });
      if (result === 'terminal') families.terminalErrors.add({ controller });
    },
    certificateExpiry: ({ origin }, epochSeconds) => families.certificates.set({ client, origin }, epochSeconds),
    leader: ({ lease }, isLeader) => families.leader.set({ name: lease }, isLeader ? 1 : 0),
    forget: (subject) => forget(families, client, subject),
  });
}

/** controller-runtime's values of `result`; it counts a terminal error as an error too, with a counter of its own. */
const resultLabels = { done: 'success', after: 'requeue_after', error: 'error', terminal: 'error' } as const;

const clientResource = ['client', 'resource'] as const;
const queue = ['name', 'controller'] as const;

function kitFamilies(metrics: Metrics) {
  const { prefix } = metrics;
  return {
    requests: metrics.counter({
      name: 'rest_client_requests_total',
      help: 'Requests to API servers, by answer: an HTTP status or the code of an error.',
      labels: ['client', 'host', 'method', 'code'],
    }),
    requestSeconds: metrics.histogram({
      name: 'rest_client_request_duration_seconds',
      help: 'Time from sending a request to its answer, one attempt each.',
      labels: ['client', 'host', 'verb'],
    }),
    retries: metrics.counter({
      name: 'rest_client_request_retries_total',
      help: 'Requests that were sent again, by the reason.',
      labels: ['client', 'host', 'verb', 'code'],
    }),
    watchActivity: metrics.timeGauge(
      {
        name: `${prefix}_watch_last_activity_timestamp_seconds`,
        help: 'When the last event or bookmark of a watch came, as seconds since the epoch.',
        labels: clientResource,
      },
      (time) => time,
    ),
    watchAge: metrics.timeGauge(
      {
        name: `${prefix}_watch_last_activity_age_seconds`,
        help: 'Seconds since the last event or bookmark of a watch: one that grows for minutes is a dead watch.',
        labels: clientResource,
      },
      (time, now) => now - time,
    ),
    watchRestarts: metrics.counter({
      name: `${prefix}_watch_restarts_total`,
      help: 'Watches that were opened again, by the reason.',
      labels: ['client', 'resource', 'reason'],
    }),
    storeObjects: metrics.gauge({
      name: `${prefix}_store_objects`,
      help: 'Objects in the cache of an informer.',
      labels: clientResource,
    }),
    queueDepth: metrics.gauge({
      name: 'workqueue_depth',
      help: 'Keys that wait for a reconcile.',
      labels: queue,
    }),
    queueSeconds: metrics.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long a key waited before its reconcile began.',
      labels: queue,
    }),
    reconciles: metrics.counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles, by result.',
      labels: ['controller', 'result'],
    }),
    reconcileErrors: metrics.counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Reconciles that failed.',
      labels: ['controller'],
    }),
    terminalErrors: metrics.counter({
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Reconciles that failed in a way that a retry cannot fix.',
      labels: ['controller'],
    }),
    reconcileSeconds: metrics.histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'How long a reconcile took.',
      labels: ['controller'],
    }),
    certificates: metrics.timeGauge(
      {
        name: `${prefix}_certificate_expiry_seconds`,
        help: 'Seconds until a certificate in use expires; negative once it has.',
        labels: ['client', 'origin'],
      },
      (time, now) => time - now,
    ),
    leader: metrics.gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process holds the lease: 1 for the leader, 0 for a candidate.',
      labels: ['name'],
    }),
  };
}

function forget(families: ReturnType<typeof kitFamilies>, client: string, subject: KitMetricsSubject): void {
  if ('host' in subject) {
    const { host } = subject;
    for (const family of [families.requests, families.requestSeconds, families.retries])
      family.forget({ client, host });
  } else if ('resource' in subject) {
    const { resource } = subject;
    const { watchActivity, watchAge, watchRestarts, storeObjects } = families;
    for (const family of [watchActivity, watchAge, watchRestarts, storeObjects]) family.forget({ client, resource });
  } else if ('controller' in subject) {
    const { controller } = subject;
    const { queueDepth, queueSeconds, reconciles, reconcileErrors, terminalErrors, reconcileSeconds } = families;
    for (const family of [queueDepth, queueSeconds, reconciles, reconcileErrors, terminalErrors, reconcileSeconds]) {
      family.forget({ controller });
    }
  } else if ('origin' in subject) {
    families.certificates.forget({ client, origin: subject.origin });
  } else {
    families.leader.forget({ name: subject.lease });
  }
}
