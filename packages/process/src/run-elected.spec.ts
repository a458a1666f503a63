import { createKubeClient, silentLogger } from '@flotilla/kube';
import type { Lease } from '@flotilla/kube/kinds';
import { FakeClock, temporaryDirectory } from '@flotilla/kube/testing';
import { FakeApi } from '@flotilla/kube/testing/internal';
import { expect, it } from 'vitest';
import { Metrics } from './metrics/metrics.ts';
import { kitMetricsFor } from './metrics/prometheus-kit-metrics.ts';
import { leaderElectionOptions } from './option-groups.ts';
import { parseOptions } from './options/parse-options.ts';
import { componentNamespace, runElected } from './run-elected.ts';

const optionsOf = (argv: string[]) => {
  const parsed = parseOptions(leaderElectionOptions, { argv, env: {} });
  if (parsed.kind !== 'run') throw new Error(`asked for ${parsed.kind}`);
  return parsed.values;
};

function start(api: FakeApi, clock: FakeClock, argv: string[] = []) {
  const stop = new AbortController();
  const metrics = new Metrics({ clock, processMetrics: false });
  const seen: string[] = [];
  const ended = runElected(
    { options: optionsOf(argv), signal: stop.signal, clock, log: silentLogger, kitMetrics: kitMetricsFor(metrics) },
    {
      client: createKubeClient({ transport: api, clock }),
      lease: 'hub/registration-controller-lock',
      async run(signal) {
        seen.push('started');
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        seen.push('ended');
      },
    },
  );
  return { seen, stop, ended };
}

it('runs while it holds the lease with the times of the flags, and hands the lease back', async () => {
  const clock = new FakeClock();
  const api = new FakeApi(clock);
  const lease = (): Lease => api.storage.get('apis/coordination.k8s.io/v1/leases', 'hub/registration-controller-lock');
  const first = start(api, clock, ['--leader-election-lease-duration=200s']);
  await clock.settle();
  const second = start(api, clock);
  await clock.settle();
  expect([first.seen, second.seen]).toEqual([['started'], []]);
  expect(lease().spec?.leaseDurationSeconds).toBe(200);
  first.stop.abort();
  await first.ended;
  await clock.advance(60_000);
  expect([first.seen, second.seen]).toEqual([['started', 'ended'], ['started']]);
  second.stop.abort();
  await second.ended;
  expect(lease().spec?.holderIdentity).toBeFalsy();
});

it('runs at once and without a lease if leader election is off', async () => {
  const clock = new FakeClock();
  const api = new FakeApi(clock);
  const { seen, stop, ended } = start(api, clock, ['--disable-leader-election']);
  expect(seen).toEqual(['started']);
  stop.abort();
  await ended;
  expect(api.calls).toEqual([]);
});

it('takes the namespace from the flag, then from the service account, then the one for outside a pod, and says which flag is missing', async () => {
  await using directory = await temporaryDirectory();
  const file = await directory.write('namespace', 'from-the-pod\n');
  expect(await componentNamespace(optionsOf(['--namespace=mine']), { file })).toBe('mine');
  expect(await componentNamespace(optionsOf([]), { file, outsidePod: 'elsewhere' })).toBe('from-the-pod');
  const empty = await directory.write('empty', '');
  for (const nothing of [empty, `${file}-absent`]) {
    await expect(componentNamespace(optionsOf([]), { file: nothing })).rejects.toThrow(
      /^Config: --namespace is missing/,
    );
    expect(await componentNamespace(optionsOf([]), { file: nothing, outsidePod: 'elsewhere' })).toBe('elsewhere');
  }
});
