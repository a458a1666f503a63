import perfHooks from 'node:perf_hooks';
import { FakeClock } from '@flotilla/kube/testing';
import { register } from 'prom-client';
import { describe, expect, it, vi } from 'vitest';
import { Metrics } from './metrics.ts';

const lines = async (metrics: Metrics) =>
  (await metrics.render()).body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('metrics', () => {
  it('are rendered in the format of Prometheus', async () => {
    const metrics = new Metrics({ processMetrics: false });
    metrics.counter({ name: 'joins_total', help: 'Joins.', labels: ['cluster'] }).add({ cluster: 'a' }, 2);
    const { contentType, body } = await metrics.render();
    expect(contentType).toContain('text/plain');
    expect(body).toBe('# HELP joins_total Joins.\n# TYPE joins_total counter\njoins_total{cluster="a"} 2\n');
  });

  it('describe the process itself, outside the global registry', async () => {
    const metrics = new Metrics();
    expect((await metrics.render()).body).toContain('process_resident_memory_bytes');
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('count the CPU of the process from its start, not from the first scrape', async () => {
    const { user, system } = process.cpuUsage();
    const metrics = new Metrics();
    const value = async (name: string) =>
      Number((await lines(metrics)).find((line) => line.startsWith(`${name} `))?.split(' ')[1]);
    expect(await value('process_cpu_user_seconds_total')).toBeGreaterThanOrEqual(user / 1e6);
    expect(await value('process_cpu_system_seconds_total')).toBeGreaterThanOrEqual(system / 1e6);
    expect(await value('process_cpu_seconds_total')).toBeGreaterThanOrEqual((user + system) / 1e6);
  });

  it('leave the event loop alone until the first scrape', async () => {
    const monitor = vi.spyOn(perfHooks, 'monitorEventLoopDelay');
    const metrics = new Metrics();
    metrics.gauge({ name: 'works', help: 'Works.', labels: [] }).set({}, 1);
    expect(monitor).not.toHaveBeenCalled();
    expect((await metrics.render()).body).toContain('nodejs_eventloop_lag_p99_seconds');
    expect(monitor).toHaveBeenCalledOnce();
    await metrics.render();
    expect(monitor).toHaveBeenCalledOnce();
  });

  it('compute the age of a time at each scrape', async () => {
    const clock = new FakeClock();
    const metrics = new Metrics({ clock, processMetrics: false });
    const definition = { name: 'age_seconds', help: 'Age.', labels: ['resource'] } as const;
    const age = metrics.timeGauge(definition, (time, now) => now - time);
    age.set({ resource: 'leases' }, clock.now() / 1000);
    await clock.advance(90_000);
    expect(await lines(metrics)).toEqual(['age_seconds{resource="leases"} 90']);
    age.forget({ resource: 'leases' });
    expect(await lines(metrics)).toEqual([]);
  });

  it('forget the series of a vanished cluster in all metrics and no others', async () => {
    const metrics = new Metrics({ processMetrics: false });
    const applies = metrics.counter({ name: 'applies_total', help: 'Applies.', labels: ['cluster', 'result'] });
    const works = metrics.gauge({ name: 'works', help: 'Works.', labels: ['cluster'] });
    const lag = metrics.histogram({ name: 'lag_seconds', help: 'Lag.', labels: ['cluster'], buckets: [1] });
    for (const cluster of ['gone', 'here']) {
      applies.add({ cluster, result: 'ok' });
      applies.add({ cluster, result: 'failed' });
      works.set({ cluster }, 3);
      lag.observe({ cluster }, 0.5);
    }
    metrics.forget({ cluster: 'gone' });
    const left = await lines(metrics);
    expect(left.filter((line) => line.includes('gone'))).toEqual([]);
    expect(left).toHaveLength(2 + 1 + 4);
    metrics.forget({ cluster: 'here', result: 'ok' });
    expect(await lines(metrics)).toHaveLength(1 + 1 + 4);
  });

  it('stay flat over a thousand clusters that come and go', async () => {
    const metrics = new Metrics({ processMetrics: false });
    const works = metrics.gauge({ name: 'works', help: 'Works.', labels: ['cluster'] });
    for (let i = 0; i < 1000; i++) {
      works.set({ cluster: `c${i}` }, i);
      metrics.forget({ cluster: `c${i}` });
    }
    expect(await lines(metrics)).toEqual([]);
  });

  it('do not forget all when no label is named', async () => {
    const metrics = new Metrics({ processMetrics: false });
    metrics.gauge({ name: 'works', help: 'Works.', labels: ['cluster'] }).set({ cluster: 'a' }, 1);
    metrics.forget({});
    expect(await lines(metrics)).toHaveLength(1);
  });

  it('start anew when a forgotten series comes back', async () => {
    const metrics = new Metrics({ processMetrics: false });
    const joins = metrics.counter({ name: 'joins_total', help: 'Joins.', labels: ['cluster'] });
    joins.add({ cluster: 'a' }, 5);
    metrics.forget({ cluster: 'a' });
    joins.add({ cluster: 'a' });
    expect(await lines(metrics)).toEqual(['joins_total{cluster="a"} 1']);
  });
});
