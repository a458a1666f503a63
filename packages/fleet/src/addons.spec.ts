import { config, defineAddon, health } from '@flotilla/addon-sdk';
import { managedClusterAddOns } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { configMaps, namespaces } from '@flotilla/kube/kinds';
import type { ResourceType } from '@flotilla/schema';
import { defineKind, object, type Resource, rootOf, text, toCustomResourceDefinition } from '@flotilla/schema/define';
import { expect, it } from 'vitest';
import { fleetAddons } from './addons.ts';
import { startFleet } from './index.ts';

it('waits for add-ons that ended with an error end with that error', async () => {
  await using plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  await plane.client.resource(namespaces).create({ metadata: { name: 'c1' } });
  await plane.client.resource(managedClusterAddOns).create({ metadata: { namespace: 'c1', name: 'a' }, spec: {} });
  const failed = Promise.withResolvers<never>();
  const waiting = fleetAddons(plane.client, ['c1'], failed.promise).whenAvailable('a');
  failed.reject(new Error('no rights to watch add-ons'));
  await expect(waiting).rejects.toThrow('no rights to watch add-ons');

  const metadata = { namespace: 'c1', name: 'b', finalizers: ['example.com/held-by-the-add-on'] };
  await plane.client.resource(managedClusterAddOns).create({ metadata, spec: {} });
  const disabled = fleetAddons(plane.client, ['c1'], failed.promise).disable('b');
  await expect(disabled).rejects.toThrow('no rights to watch add-ons');
});

it('makes the hub serve the kind of configuration that comes with an add-on', async () => {
  const schema = rootOf('How a cluster is greeted.', {
    spec: object('The greeting.', { text: text('What is said.') }),
  });
  const kind = { group: 'greeter.example.com', version: 'v1', kind: 'Greeting', plural: 'greetings' };
  const greetings: ResourceType<Resource<typeof schema>> = { ...kind, namespaced: true };
  const definition = toCustomResourceDefinition(defineKind({ resource: greetings, schema }));
  const greeter = defineAddon({
    name: 'greeter',
    configs: { greeting: config.of(greetings, { definition }) },
    health: health.work(),
    render: ({ configs, installNamespace: namespace }) => [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'greeting', namespace },
        data: { text: configs.greeting?.spec.text ?? '' },
      },
    ],
  });
  await using fleet = await startFleet({ addons: [greeter] });
  const place = { namespace: 'default', name: 'polite' };
  await fleet.hub.resource(greetings).create({ metadata: place, spec: { text: 'Good day' } });
  const reference = { group: kind.group, resource: kind.plural, ...place };
  await fleet.enable('greeter', { configs: [reference] });
  const key = 'open-cluster-management-agent-addon/greeting';
  const { data } = await fleet.until(fleet.managed('cluster1').resource(configMaps), key);
  expect(data).toEqual({ text: 'Good day' });
});
