import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addOnDeploymentConfigs } from '@flotilla/api-types';
import { startFleet } from '@flotilla/fleet';
import { deployments } from '@flotilla/kube/kinds';
import { addon } from '../src/addon.ts';

test('the agent runs on clusters that have the add-on, with the configuration of each', async () => {
  // A hub, two clusters, their agents and the add-on, in this process.
  await using fleet = await startFleet({ clusters: ['cluster1', 'cluster2'], addons: [addon] });
  const config = { namespace: 'default', name: 'polite' };
  const spec = { customizedVariables: [{ name: 'GREETING', value: 'Good day' }] };
  await fleet.hub.resource(addOnDeploymentConfigs).create({ metadata: config, spec });
  const kind = { group: addOnDeploymentConfigs.group, resource: addOnDeploymentConfigs.plural };

  await fleet.enable('my-addon', { clusters: ['cluster1'] });
  await fleet.enable('my-addon', { clusters: ['cluster2'], configs: [{ ...kind, ...config }] });
  await fleet.whenAvailable('my-addon');

  const greetings = await Promise.all(
    fleet.clusterNames.map(async (name) => {
      const handle = fleet.managed(name).resource(deployments);
      const agent = await handle.get('open-cluster-management-agent-addon/my-addon-agent');
      return agent.spec?.template.spec?.containers[0]?.env?.find((variable) => variable.name === 'GREETING')?.value;
    }),
  );
  assert.deepEqual(greetings, ['Hello', 'Good day']);
});
