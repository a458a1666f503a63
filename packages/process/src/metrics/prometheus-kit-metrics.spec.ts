import type { KitMetrics } from '@flotilla/kube/metrics';
import { FakeClock } from '@flotilla/kube/testing';
import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.ts';
import { kitMetricsFor } from './prometheus-kit-metrics.ts';

function setUp() {
  const clock = new FakeClock();
  const metrics = new Metrics({ clock, prefix: 'flotilla', processMetrics: false });
  const kit = kitMetricsFor(metrics);
  const lines = async () => (await metrics.render()).body.split('\n').filter((line) => line !== '' && line[0] !== '#');
  return { clock, kit, lines, now: clock.now() / 1000 };
}

function reportAll(kit: KitMetrics, now: number) {
  kit.request({ verb: 'GET', host: 'hub:6443', code: '200' }, 0.004);
  kit.retry({ verb: 'GET', host: 'hub:6443', reason: 'TooManyRequests' });
  kit.watchActivity({ resource: 'leases' }, now - 5);
  kit.watchRestart({ resource: 'leases', reason: 'Expired' });
  kit.storeSize({ resource: 'leases' }, 12);
  kit.queueDepth({ controller: 'lease' }, 3);
  kit.queueWait({ controller: 'lease' }, 0.2);
  kit.reconcile({ controller: 'lease', result: 'done' }, 0.01);
  kit.certificateExpiry({ origin: 'hub-kubeconfig' }, now + 3600);
  kit.leader({ lease: 'registration-controller-lock' }, true);
}

describe('the metrics of the kit', () => {
  it('have the names that client-go and controller-runtime use', async () => {
    const { kit, lines, now } = setUp();
    reportAll(kit('hub'), now);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'rest_client_requests_total{client="hub",host="hub:6443",method="GET",code="200"} 1',
        'rest_client_request_duration_seconds_count{client="hub",host="hub:6443",verb="GET"} 1',
        'rest_client_request_retries_total{client="hub",host="hub:6443",verb="GET",code="TooManyRequests"} 1',
        `flotilla_watch_last_activity_timestamp_seconds{client="hub",resource="leases"} ${now - 5}`,
        'flotilla_watch_last_activity_age_seconds{client="hub",resource="leases"} 5',
        'flotilla_watch_restarts_total{client="hub",resource="leases",reason="Expired"} 1',
        'flotilla_store_objects{client="hub",resource="leases"} 12',
        'workqueue_depth{name="lease",controller="lease"} 3',
        'workqueue_queue_duration_seconds_sum{name="lease",controller="lease"} 0.2',
        'controller_runtime_reconcile_total{controller="lease",result="success"} 1',
        'controller_runtime_reconcile_time_seconds_count{controller="lease"} 1',
        'flotilla_certificate_expiry_seconds{client="hub",origin="hub-kubeconfig"} 3600',
        'leader_election_master_status{name="registration-controller-lock"} 1',
      ]),
    );
  });

  it('count the seconds to the expiry of a certificate down, also below zero', async () => {
    const { kit, lines, clock, now } = setUp();
    kit('hub').certificateExpiry({ origin: 'hub-kubeconfig' }, now + 60);
    await clock.advance(90_000);
    expect(await lines()).toEqual(['flotilla_certificate_expiry_seconds{client="hub",origin="hub-kubeconfig"} -30']);
  });

  it.each([
    ['done', ['result="success"'], 0, 0],
    ['after', ['result="requeue_after"'], 0, 0],
    ['error', ['result="error"'], 1, 0],
    ['terminal', ['result="error"'], 1, 1],
  ] as const)('count a reconcile that ends in %s', async (result, labels, errors, terminal) => {
    const { kit, lines } = setUp();
    kit('hub').reconcile({ controller: 'lease', result }, 1);
    const seen = await lines();
    expect(seen.filter((line) => line.startsWith('controller_runtime_reconcile_total'))).toEqual(
      labels.map((label) => `controller_runtime_reconcile_total{controller="lease",${label}} 1`),
    );
    expect(seen.filter((line) => line.startsWith('controller_runtime_reconcile_errors_total'))).toHaveLength(errors);
    expect(seen.filter((line) => line.startsWith('controller_runtime_terminal_'))).toHaveLength(terminal);
  });

  it('keep the watches of two clients on one resource apart', async () => {
    const { kit, lines } = setUp();
    kit('hub').storeSize({ resource: 'leases' }, 1);
    kit('spoke').storeSize({ resource: 'leases' }, 2);
    kit('spoke').forget({ resource: 'leases' });
    expect(await lines()).toEqual(['flotilla_store_objects{client="hub",resource="leases"} 1']);
  });

  it.each([
    ['a client', { host: 'hub:6443' }, /^rest_client/],
    ['an informer', { resource: 'leases' }, /resource="leases"/],
    ['a controller', { controller: 'lease' }, /controller="lease"/],
    ['a credential', { origin: 'hub-kubeconfig' }, /^flotilla_certificate/],
    ['an election', { lease: 'registration-controller-lock' }, /^leader_election/],
  ] as const)('are dropped when %s is gone, and the others stay', async (_, subject, dropped) => {
    const { kit, lines, now } = setUp();
    reportAll(kit('hub'), now);
    const before = await lines();
    expect(before.some((line) => dropped.test(line))).toBe(true);
    kit('hub').forget(subject);
    expect(await lines()).toEqual(before.filter((line) => !dropped.test(line)));
  });

  it('are all dropped by the subjects of what reports them', async () => {
    const { kit, lines, now } = setUp();
    const hub = kit('hub');
    reportAll(hub, now);
    hub.forget({ host: 'hub:6443' });
    hub.forget({ resource: 'leases' });
    hub.forget({ controller: 'lease' });
    hub.forget({ origin: 'hub-kubeconfig' });
    hub.forget({ lease: 'registration-controller-lock' });
    expect(await lines()).toEqual([]);
  });
});
