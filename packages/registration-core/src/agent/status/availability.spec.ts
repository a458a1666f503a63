import { createKubeClient, KubeError } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import type { KubeRequest } from '@flotilla/kube/transport';
import { NEVER } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { AvailabilityProbe } from './availability.ts';

/** A probe of an API server that answers with these codes by path. */
function probe(answers: Record<string, number>) {
  const clock = new FakeClock();
  const request = async ({ path }: KubeRequest) => {
    const status = answers[path] ?? 500;
    if (status !== 200) throw KubeError.fromResponse({ method: 'GET', path }, status, 'no');
    return { status, headers: {}, body: 'ok' };
  };
  const stream = () => Promise.reject(new Error('unused'));
  const spoke = createKubeClient({
    transport: { request, stream, accessChanged: NEVER, close: async () => {} },
    clock,
  });
  const { signal } = new AbortController();
  const made = new AvailabilityProbe(spoke, clock);
  return { clock, answers, check: () => made.check(signal) };
}

describe('the availability of a cluster', () => {
  it.each<Record<string, number>>([
    { '/livez': 200 },
    { '/livez': 404, '/healthz': 200 },
    { '/livez': 403, '/healthz': 200 },
  ])('[registration-agent 19.10-107] is True with %j', async (answers) => {
    expect(await probe(answers).check()).toMatchObject({
      healthy: true,
      condition: { type: 'ManagedClusterConditionAvailable', status: 'True', reason: 'ManagedClusterAvailable' },
    });
  });

  it('[registration-agent 19.10-108] is False only after 20 s of failures, however many', async () => {
    const scene = probe({ '/livez': 500 });
    for (let count = 0; count < 10; count += 1) {
      expect(await scene.check()).toEqual({ healthy: false, retryMs: 5000 });
    }
    await scene.clock.advance(19_999);
    expect(await scene.check()).not.toHaveProperty('condition');
    await scene.clock.advance(1);
    expect(await scene.check()).toMatchObject({
      condition: { status: 'False', reason: 'ManagedClusterKubeAPIServerUnavailable' },
    });
    scene.answers['/livez'] = 200;
    expect(await scene.check()).toMatchObject({ healthy: true });
    scene.answers['/livez'] = 500;
    expect(await scene.check()).not.toHaveProperty('condition');
  });
});
