import { managedClusterAddOns, manifestWorks } from '@flotilla/api-types';
import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { startControlPlane } from '@flotilla/control-plane';
import { realClock } from '@flotilla/kube';
import { namespaces } from '@flotilla/kube/kinds';
import { expect, it } from 'vitest';
import { followAddOns } from './follow-addons.ts';

const workload = (greeting: string) => ({
  manifests: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' }, data: { greeting } },
  ],
});

it('reports what an add-on gives to a cluster, each change of it, and where it is on its way', async () => {
  await using plane = await startControlPlane({ listen: false, crds: customResourceDefinitions() });
  const { client } = plane;
  await client.resource(namespaces).create({ metadata: { name: 'c1' } });
  const lines: string[] = [];
  using _following = followAddOns({ client, clock: realClock, report: (line) => lines.push(line) });
  const labels = { 'open-cluster-management.io/addon-name': 'hello' };
  const works = client.resource(manifestWorks);
  await works.create({ metadata: { namespace: 'c1', name: 'w', labels }, spec: { workload: workload('Hello') } });
  await works.create({ metadata: { namespace: 'c1', name: 'other' }, spec: { workload: workload('no add-on') } });
  await expect.poll(() => lines).toEqual(['c1/hello  + ConfigMap default/a']);
  await works.patch('c1/w', { type: 'merge', body: { spec: { workload: workload('Goodbye') } } });
  await expect.poll(() => lines).toContain('    +  greeting: Goodbye');
  await works.delete('c1/w');
  await expect.poll(() => lines.at(-1)).toBe('c1/hello  - ConfigMap default/a');
  const addOns = client.resource(managedClusterAddOns);
  await addOns.create({ metadata: { namespace: 'c1', name: 'hello' }, spec: {} });
  await expect.poll(() => lines.at(-1)).toBe('c1/hello  nothing is reported of it yet');
  const lastTransitionTime = new Date().toISOString();
  const failed = { type: 'ManifestApplied', status: 'False', reason: 'X', message: 'render threw', lastTransitionTime };
  await addOns.status.patch('c1/hello', { type: 'merge', body: { status: { conditions: [failed] } } });
  await expect.poll(() => lines.at(-1)).toBe('c1/hello  render threw');
  await addOns.delete('c1/hello');
  await expect.poll(() => lines.at(-1)).toBe('c1/hello  is removed');
});
