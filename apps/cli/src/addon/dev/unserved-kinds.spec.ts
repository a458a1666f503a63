import { clusterManagementAddOns } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { followUnservedKinds } from './unserved-kinds.ts';

it('names a kind of configuration that the hub does not serve after some seconds, and no other', async () => {
  await using plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  const defaultConfigs = [
    { group: 'addon.open-cluster-management.io', resource: 'addondeploymentconfigs', name: 'a' },
    { group: 'greeter.example.com', resource: 'greetings', name: 'a' },
  ];
  const { client } = plane;
  await client.resource(clusterManagementAddOns).create({ metadata: { name: 'greeter' }, spec: { defaultConfigs } });
  const lines: string[] = [];
  const clock = new FakeClock();
  using _following = followUnservedKinds({ client, clock, report: (line) => lines.push(line) });
  expect(lines).toEqual([]);
  await clock.advance(5000);
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^greeter waits: the hub does not serve greetings\.greeter\.example\.com\./);
});
