import { AppLabelValue, Label, NamespaceName } from '@flotilla/api-types';
import type { Secret, Service } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { accountSubject, boundClusterRole, serviceAccount } from '../objects/rbac.ts';
import { healthPort } from '../operated-hub/operated-deployment.ts';
import { webhookMetricsPort } from '../operated-hub/programs.ts';
import { alertRules } from './alerts.ts';
import { fleetDashboard } from './dashboard.ts';
import type { MonitoringValues } from './values.ts';

const apiVersion = 'monitoring.coreos.com/v1';
const namespace = NamespaceName.Operator;

/** The account whose token Prometheus shows, its role and its Secret. */
const readerOf = (app: string): string => `${app}-metrics-reader`;

/**
 * How Prometheus reads what the programs serve, whose certificates are signed by themselves. Its own token is in a file, which a
 * PodMonitor cannot name, and a ServiceMonitor cannot where Prometheus denies access to files: it takes a token from a Secret.
 */
const endpoint = (app: string, interval: string, port: string = healthPort) => ({
  port,
  path: '/metrics',
  scheme: 'https',
  interval,
  authorization: { credentials: { name: readerOf(app), key: 'token' } },
  tlsConfig: { insecureSkipVerify: true },
});

/** An account that may read metrics and nothing else. Kubernetes writes its token into the Secret. */
function metricsReader(app: string): KubeObject[] {
  const name = readerOf(app);
  const account = serviceAccount(namespace, name);
  const token: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, annotations: { 'kubernetes.io/service-account.name': name } },
    type: 'kubernetes.io/service-account-token',
  };
  const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
  return [account, ...boundClusterRole(name, rules, [accountSubject(account)]), token];
}

/** Lets Prometheus read the metrics of an operator, if that is wanted. */
export function operatorMonitoring(
  app: string,
  { serviceMonitor }: Pick<MonitoringValues, 'serviceMonitor'>,
): KubeObject[] {
  if (!serviceMonitor.enabled) return [];
  const name = `${app}-metrics`;
  const own = { [Label.App]: app };
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels: own },
    spec: { selector: own, ports: [{ name: 'health', port: 8443, targetPort: 'health' }] },
  };
  const monitor = {
    apiVersion,
    kind: 'ServiceMonitor',
    metadata: { name: app, namespace, labels: { ...own, ...serviceMonitor.labels } },
    spec: { selector: { matchLabels: own }, endpoints: [endpoint(app, serviceMonitor.interval)] },
  };
  return [...metricsReader(app), service, monitor];
}

/** What the chart makes for Prometheus and Grafana: metrics of operator and hub, alerts, and a dashboard. */
export function hubMonitoring(values: MonitoringValues): KubeObject[] {
  const { serviceMonitor, prometheusRule, grafanaDashboard } = values;
  const name = AppLabelValue.ClusterManager;
  const metadata = (labels: Readonly<Record<string, string>>, suffix = '') => ({
    name: `${name}${suffix}`,
    namespace,
    labels: { [Label.App]: name, ...labels },
  });
  // The operator makes the namespace of the hub, so that nothing in it can be part of the chart.
  const podMonitor = {
    apiVersion,
    kind: 'PodMonitor',
    metadata: metadata(serviceMonitor.labels, '-hub'),
    spec: {
      // Programs of hosted hubs, in namespaces of their own, ask their hub about tokens: it does not know those of this cluster.
      namespaceSelector: { matchNames: [NamespaceName.Hub] },
      selector: { matchExpressions: [{ key: Label.CreatedByClusterManager, operator: 'Exists' }] },
      podMetricsEndpoints: [healthPort, webhookMetricsPort].map((port) =>
        endpoint(name, serviceMonitor.interval, port),
      ),
    },
  };
  const rule = {
    apiVersion,
    kind: 'PrometheusRule',
    metadata: metadata(prometheusRule.labels),
    spec: { groups: [{ name: 'flotilla', rules: alertRules() }] },
  };
  const dashboard = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(grafanaDashboard.labels, '-dashboard'),
    data: { 'flotilla.json': `${JSON.stringify(fleetDashboard(), null, 2)}\n` },
  };
  return [
    ...operatorMonitoring(name, values),
    ...(serviceMonitor.enabled ? [podMonitor] : []),
    ...(prometheusRule.enabled ? [rule] : []),
    ...(grafanaDashboard.enabled ? [dashboard] : []),
  ];
}
