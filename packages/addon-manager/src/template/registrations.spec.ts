import type { AddOnTemplateRegistration } from '@flotilla/api-types';
import { describe, expect, it } from 'vitest';
import { templateRegistrations } from './registrations.ts';

const declared = (...registrations: AddOnTemplateRegistration[]) =>
  templateRegistrations({
    addonName: 'hello',
    registrations,
    signWith: (ca) => () => `signed by ${ca.namespace}/${ca.name}`,
  });
const currentCluster = (clusterRoleName: string) => ({
  type: 'CurrentCluster' as const,
  currentCluster: { clusterRoleName },
});
const singleNamespace = (namespace: string, kind: string, name: string) => ({
  type: 'SingleNamespace' as const,
  singleNamespace: { namespace, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name } },
});
type Permissions = NonNullable<NonNullable<AddOnTemplateRegistration['kubeClient']>['hubPermissions']>;
const permissionsOf = (...hubPermissions: Permissions) => {
  const [registration] = declared({ type: 'KubeClient', kubeClient: { hubPermissions } });
  return registration?.type === 'kubeClient' ? registration.permissions : [];
};
const labels = { 'open-cluster-management.io/addon-template-name': '' };

describe('the registrations of a template', () => {
  it('are an agent named after the add-on, and a certificate of the given signer', () => {
    expect(
      declared(
        { type: 'KubeClient' },
        {
          type: 'CustomSigner',
          customSigner: {
            signerName: 'example.com/s',
            subject: { user: 'u', groups: ['g'], organizationUnit: ['ou'] },
            signingCA: { namespace: 'ns', name: 'ca' },
          },
        },
        { type: 'CustomSigner' },
      ),
    ).toEqual([
      { type: 'kubeClient', agentName: 'hello-agent', permissions: [] },
      {
        type: 'customSigner',
        signerName: 'example.com/s',
        subject: { user: 'u', groups: ['g'], organizationUnits: ['ou'] },
        sign: expect.any(Function),
      },
    ]);
  });

  it('are bound in the namespace of the cluster, or in the one that they name', () => {
    expect(permissionsOf(currentCluster('reader'), singleNamespace('shared', 'Role', 'writer'))).toEqual([
      {
        type: 'clusterNamespaceRole',
        clusterRole: 'reader',
        binding: { labels },
      },
      {
        type: 'namespaceRole',
        namespace: 'shared',
        roleRef: { kind: 'Role', name: 'writer' },
        binding: { labels },
      },
    ]);
  });

  it('are bound once if they are given twice', () => {
    expect(permissionsOf(currentCluster('reader'), currentCluster('writer'), currentCluster('reader'))).toHaveLength(2);
  });

  it('are refused with a role of an unknown kind', () => {
    expect(() => permissionsOf(singleNamespace('shared', 'Magic', 'm'))).toThrow(
      'hubPermissions: roleRef.kind is "Magic"; it must be Role or ClusterRole',
    );
  });
});
