import { AddOnRole } from '@flotilla/api-types';
import { type ControlPlane, startControlPlane } from '@flotilla/control-plane';
import { KubeError } from '@flotilla/kube';
import { type ClusterRole, clusterRoles } from '@flotilla/kube/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyManifests } from './fixtures/restricted.ts';

const controllers = {
  name: 'system:serviceaccount:open-cluster-management-hub:registration-controller-sa',
  groups: [],
};
const role = AddOnRole.of('c1');
const group = 'system:open-cluster-management:cluster:c1:addon:a';

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ listen: false });
  await applyManifests(plane.client, 'namespace.yaml', 'controller-rbac.yaml', 'grpc/grpc-server-rbac.yaml');
});
afterAll(() => plane.stop());

type Rules = NonNullable<ClusterRole['rules']>;
const impersonate = (resource: string, ...resourceNames: string[]): Rules[number] => ({
  apiGroups: [''],
  resources: [resource],
  verbs: ['impersonate'],
  resourceNames,
});
async function write(rules: Rules, name = role): Promise<string | undefined> {
  const roles = plane.clientOf(controllers).resource(clusterRoles);
  try {
    await roles.replace({ ...(await roles.get(name)), rules });
    return undefined;
  } catch (error) {
    return KubeError.from(error).message;
  }
}

describe('the controllers of the hub', () => {
  it('may let the gRPC server act for add-ons by their names, and take that back', async () => {
    const named = [
      impersonate('users', `${group}:agent:a`),
      impersonate('groups', group, 'system:open-cluster-management:addon:a'),
    ];
    expect(await write(named)).toBeUndefined();
    await applyManifests(plane.client, 'grpc/grpc-server-rbac.yaml');
    expect((await plane.client.resource(clusterRoles).get(role)).rules).toEqual(named);
    expect(await write([])).toBeUndefined();
  });

  it.each<[string, Rules]>([
    ['for everybody', [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }]],
    ['for administrators', [impersonate('groups', 'system:masters')]],
    ['for an administrator among add-ons', [impersonate('users', `${group}:agent:a`, 'system:admin')]],
    ['for agents of clusters', [impersonate('users', 'system:open-cluster-management:c1:agent')]],
    ['for service accounts', [impersonate('serviceaccounts', 'a')]],
    ['and do all else', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'], resourceNames: [group] }]],
    ['and read Secrets', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: [group] }]],
  ])('cannot let it act %s', async (_, rules) => {
    expect(await write(rules)).toContain('may act for users and groups of add-ons only');
  });

  it('cannot give such rights to other roles', async () => {
    const message = await write([impersonate('users', `${group}:agent:a`)], 'view');
    expect(message).toMatch(/forbidden|attempting to grant/i);
  });
});
