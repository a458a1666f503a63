import { managedClusters, manifestWorks } from '@flotilla/api-types';
import { isConditionTrue } from '@flotilla/kube';
import { certificateSigningRequests, configMaps } from '@flotilla/kube/kinds';
import { authTypeAnnotation } from '@flotilla/registration-core/contract';
import { expect, it } from 'vitest';
import { authType, startSpokenFleet } from '../examples/own-driver.ts';

it('joins clusters with a driver of a third party, whose tokens a function authenticates', async () => {
  await using fleet = await startSpokenFleet();
  const { metadata } = await fleet.hub.resource(managedClusters).get('cluster1');
  expect(metadata?.annotations).toMatchObject({ [authTypeAnnotation]: authType });
  expect((await fleet.hub.resource(certificateSigningRequests).list()).items).toEqual([]);
  const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'hello' } };
  const works = fleet.hub.resource(manifestWorks);
  await works.create({ metadata: { namespace: 'cluster1', name: 'w' }, spec: { workload: { manifests: [manifest] } } });
  await fleet.until(works, 'cluster1/w', ({ status }) => isConditionTrue(status?.conditions, 'Available'));
  expect(await fleet.managed('cluster1').resource(configMaps).find('default/hello')).toBeDefined();
});
