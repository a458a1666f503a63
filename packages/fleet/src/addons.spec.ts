import { managedClusterAddOns } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { fleetAddons } from './addons.ts';

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
