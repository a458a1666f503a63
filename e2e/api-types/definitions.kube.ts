import { customResourceDefinitions } from '@flotilla/api-types/kinds';
import { type Cluster, startCluster } from '@flotilla/envtest';
import { type CustomResourceDefinition, customResourceDefinitionResource } from '@flotilla/schema/define';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

interface Installed extends CustomResourceDefinition {
  status: { conditions: { type: string; status: string; message: string }[]; storedVersions: string[] };
}

const definitions = customResourceDefinitions();
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ crds: definitions, controllerManager: false });
});
afterAll(() => cluster?.stop());

describe.each(definitions)('$metadata.name', (definition) => {
  const { name } = definition.metadata;
  const installed = async () =>
    (await cluster.client.resource(customResourceDefinitionResource).get(name)) as Installed;

  it('is accepted, established and structural', async () => {
    const { status } = await installed();
    const conditions = Object.fromEntries(status.conditions.map((each) => [each.type, each.status]));
    expect(conditions).toMatchObject({ Established: 'True', NamesAccepted: 'True' });
    expect(conditions).not.toHaveProperty('NonStructuralSchema');
  });

  it('is stored as it was sent: the server knows every word of the schema', async () => {
    expect((await installed()).spec).toMatchObject(definition.spec);
  });
});

it('kubectl explain shows our descriptions', async () => {
  const explain = () => cluster.kubectl(['explain', 'managedclusters.spec.taints.effect']);
  // The server publishes its description of the API a moment after a definition is established.
  const { stdout } = await vi.waitFor(explain, { timeout: 30_000, interval: 500 });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('NoSelect removes the cluster from decisions');
});
