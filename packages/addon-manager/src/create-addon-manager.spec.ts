import { AddOnControllerName } from '@flotilla/api-types';
import { startControlPlane } from '@flotilla/control-plane';
import { createInformers } from '@flotilla/kube';
import { FakeClock } from '@flotilla/kube/testing';
import { expect, it } from 'vitest';
import { createAddonManager } from './create-addon-manager.ts';

it('has a controller for each concern, and none when the gate of OCM is off', async () => {
  const clock = new FakeClock();
  await using plane = await startControlPlane({ listen: false, clock });
  using informers = createInformers({ client: plane.client, clock });
  const names = createAddonManager({ informers, clock }).controllers.map(({ name }) => name);
  expect(names).toEqual([
    AddOnControllerName.Management,
    AddOnControllerName.InstallProgression,
    AddOnControllerName.Configuration,
    AddOnControllerName.Owner,
    AddOnControllerName.Progressing,
    AddOnControllerName.Annotation,
    AddOnControllerName.TokenInfrastructure,
  ]);
  expect(createAddonManager({ informers, clock, gates: { AddonManagement: false } }).controllers).toEqual([]);
});
