/** A query of a panel. */
interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

const datasource = { type: 'prometheus', uid: '$datasource' };

const panel = (
  type: 'stat' | 'timeseries',
  title: string,
  unit: string,
  targets: readonly Target[],
  gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number },
) => ({
  type,
  title,
  datasource,
  gridPos,
  fieldConfig: { defaults: { unit }, overrides: [] },
  targets: targets.map((target, at) => ({ ...target, datasource, refId: String.fromCharCode(65 + at) })),
});

/** One kind of objects: how many are in which state now, and over time. */
const column = (kind: 'clusters' | 'works' | 'addons', title: string, x: number) => {
  const byState = [{ expr: `sum by (state) (flotilla_fleet_${kind})`, legendFormat: '{{state}}' }];
  return [
    panel('stat', title, 'short', byState, { x, y: 0, w: 8, h: 5 }),
    panel('timeseries', `${title} over time`, 'short', byState, { x, y: 5, w: 8, h: 8 }),
  ];
};

const wide = (title: string, unit: string, target: Target, at: number) =>
  panel('timeseries', title, unit, [target], { x: (at % 2) * 12, y: 13 + Math.floor(at / 2) * 8, w: 12, h: 8 });

/** Is the fleet in sync, and does the hub keep up? */
export const fleetDashboard = () => ({
  uid: 'flotilla-fleet',
  title: 'Flotilla: the fleet',
  tags: ['flotilla', 'open-cluster-management'],
  schemaVersion: 39,
  refresh: '1m',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
  },
  panels: [
    ...column('clusters', 'Clusters', 0),
    ...column('works', 'Works', 8),
    ...column('addons', 'Add-ons', 16),
    wide(
      'Oldest that is not in sync',
      's',
      { expr: 'max by (kind) (flotilla_fleet_oldest_pending_seconds)', legendFormat: '{{kind}}' },
      0,
    ),
    wide(
      'Keys that wait for a reconcile',
      'short',
      { expr: 'sum by (name) (workqueue_depth)', legendFormat: '{{name}}' },
      1,
    ),
    wide(
      'Reconciles that fail, per second',
      'ops',
      {
        expr: 'sum by (controller) (rate(controller_runtime_reconcile_errors_total[5m]))',
        legendFormat: '{{controller}}',
      },
      2,
    ),
    wide(
      'Until certificates expire',
      's',
      { expr: 'min by (client) (flotilla_certificate_expiry_seconds)', legendFormat: '{{client}}' },
      3,
    ),
  ],
});
