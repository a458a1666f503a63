/** One alert of Prometheus. */
interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: 'critical' | 'warning' };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const alert = (
  name: string,
  severity: 'critical' | 'warning',
  [expr, pending]: readonly [string, string],
  [summary, description]: readonly [string, string],
): AlertRule => ({
  alert: name,
  expr,
  for: pending,
  labels: { severity },
  annotations: { summary, description },
});

/** When an administrator of a hub is called. A test compares the metrics that they use with those that the programs have. */
export const alertRules = (): AlertRule[] => [
  alert(
    'FlotillaClustersNotAvailable',
    'warning',
    ['sum(flotilla_fleet_clusters{state=~"unavailable|unknown"}) > 0', '10m'],
    ['Managed clusters do not report', 'Which ones, and why: flotilla get clusters.'],
  ),
  alert(
    'FlotillaClusterLost',
    'warning',
    ['max(flotilla_fleet_oldest_pending_seconds{kind="clusters"}) > 86400', '5m'],
    [
      'A cluster is not accepted or not available for a day',
      'Accept it, fix it or delete it: flotilla get clusters, flotilla accept.',
    ],
  ),
  alert(
    'FlotillaWorksNotInSync',
    'warning',
    ['max(flotilla_fleet_oldest_pending_seconds{kind="works"}) > 900', '5m'],
    [
      'Works are not applied or not available for a quarter of an hour',
      'Which ones: flotilla get works. Why: flotilla explain work NAME --cluster CLUSTER.',
    ],
  ),
  alert(
    'FlotillaAddOnsNotAvailable',
    'warning',
    ['max(flotilla_fleet_oldest_pending_seconds{kind="addons"}) > 900', '5m'],
    [
      'Add-ons are not available for a quarter of an hour',
      'Which ones: flotilla get addons -o wide. Why: flotilla explain addon NAME --cluster CLUSTER.',
    ],
  ),
  alert(
    'FlotillaHubHasNoLeader',
    'critical',
    ['absent(leader_election_master_status{name=~".*registration-controller-lock"} == 1)', '5m'],
    ['No process leads the controllers of the hub', 'Nothing is accepted or cleaned up. See flotilla doctor hub.'],
  ),
  alert(
    'FlotillaReconcileErrors',
    'warning',
    ['sum by (controller) (rate(controller_runtime_reconcile_errors_total[10m])) > 0.1', '15m'],
    ['A controller keeps failing', 'The log of the hub says why; the label controller names it.'],
  ),
  alert(
    'FlotillaCertificateExpires',
    'critical',
    ['min by (client, origin) (flotilla_certificate_expiry_seconds) < 86400', '5m'],
    ['A certificate in use expires within a day', 'It is renewed long before that: see the log of its process.'],
  ),
];
