import { type ManagedCluster, ManifestWorkCondition } from '@flotilla/api-types';
import { acceptableMs, longestTurn } from '@flotilla/rules/testing';
import type { Condition } from '@flotilla/schema';
import { expect, it } from 'vitest';
import type { AddonContext } from '../definition/context.ts';
import { health } from '../definition/health.ts';
import { evaluateHealth } from './health.policy.ts';

const isTrue = (type: string): Condition => ({
  type,
  status: 'True',
  reason: type,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

it('is decided without holding up the event loop, whatever a member reports for fields with many stars', async () => {
  const resource = { group: 'apps', resource: 'deployments', namespace: '*' };
  const values = [{ name: 'ReadyReplicas', fieldValue: { type: 'Integer' as const, integer: 1 } }];
  const manifests = Array.from({ length: 2000 }, (_, ordinal) => ({
    resourceMeta: { ...resource, ordinal, namespace: 'default', name: 'a'.repeat(250) },
    statusFeedback: { values },
    conditions: [],
  }));
  const status = { conditions: [isTrue(ManifestWorkCondition.Available)], resourceStatus: { manifests } };
  const fields = ['b', 'c'].map((last) => ({ ...resource, name: `${'*a'.repeat(500)}${last}` }));
  const decide = () =>
    evaluateHealth({
      prober: health.work({ fields }),
      addonName: 'probe',
      cluster: { metadata: { name: 'c1' } } as ManagedCluster,
      conditions: [isTrue('ManifestApplied')],
      works: [{ metadata: { name: 'addon-probe-deploy-0' }, status }],
      context: {} as AddonContext,
    });
  expect((await decide())?.reason).toBe('NoProbeResult');
  expect(await longestTurn(decide)).toBeLessThan(acceptableMs);
});
