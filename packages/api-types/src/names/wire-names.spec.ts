import { describe, expect, it } from 'vitest';
import {
  AwsName,
  bootstrapTokenId,
  CertificateName,
  ClusterRoleName,
  GroupName,
  HubRoleSuffix,
  Label,
  LeaderElectionComponent,
  LeaseName,
  ObjectName,
  RoleName,
  SecretName,
  ServiceAccountName,
  UserName,
} from './index.ts';

// Each expectation is a name as another implementation writes it.
const cluster = 'cluster1';
const addOn = 'netprobe';

describe('names on the wire', () => {
  it.each([
    ['agent user', UserName.Agent.of({ cluster, agent: 'a1' }), 'system:open-cluster-management:cluster1:a1'],
    [
      'add-on agent user',
      UserName.AddOnAgent.of({ cluster, addOn, agent: addOn }),
      'system:open-cluster-management:cluster:cluster1:addon:netprobe:agent:netprobe',
    ],
    [
      'gRPC server user',
      UserName.ServiceAccount.of({ namespace: 'open-cluster-management-hub', name: ServiceAccountName.GrpcServer }),
      'system:serviceaccount:open-cluster-management-hub:grpc-server-sa',
    ],
    ['bootstrap user', UserName.BootstrapToken.of({ tokenId: bootstrapTokenId }), 'system:bootstrap:ocmhub'],
    ['cluster group', GroupName.Cluster.of({ cluster }), 'system:open-cluster-management:cluster1'],
    ['AWS cluster group', GroupName.AwsCluster.of({ cluster }), 'open-cluster-management:cluster1'],
    ['add-on group', GroupName.AddOn.of({ addOn }), 'system:open-cluster-management:addon:netprobe'],
    [
      'add-on group of a cluster',
      GroupName.ClusterAddOn.of({ cluster, addOn }),
      'system:open-cluster-management:cluster:cluster1:addon:netprobe',
    ],
    ['add-on DNS name', CertificateName.AddOnDns.of({ addOn }), 'netprobe.addon.open-cluster-management.io'],
    [
      'cluster role of a cluster',
      ClusterRoleName.ManagedCluster.of({ cluster }),
      'open-cluster-management:managedcluster:cluster1',
    ],
    [
      'work role binding of a cluster',
      RoleName.ManagedClusterWork.of({ cluster }),
      'open-cluster-management:managedcluster:cluster1:work',
    ],
    [
      'cluster role of a hub component',
      ClusterRoleName.HubComponent.of({
        clusterManager: 'cluster-manager',
        suffix: HubRoleSuffix.RegistrationController,
      }),
      'open-cluster-management:cluster-manager-registration:controller',
    ],
    [
      'role binding of a template add-on',
      RoleName.AddOnTemplateAgent.of({ addOn, roleKind: 'clusterrole' }),
      'open-cluster-management:netprobe:clusterrole:agent',
    ],
    ['feature label', Label.AddOnFeature.of({ addOn }), 'feature.open-cluster-management.io/addon-netprobe'],
    ['bootstrap token secret', SecretName.BootstrapToken.of({ tokenId: 'ocmhub' }), 'bootstrap-token-ocmhub'],
    [
      'leader election lease',
      LeaseName.LeaderElection.of({ component: LeaderElectionComponent.RegistrationController }),
      'registration-controller-lock',
    ],
    ['decision', ObjectName.PlacementDecision.of({ placement: 'p1', number: '1' }), 'p1-decision-1'],
    ['deploy work', ObjectName.AddOnDeployWork.of({ addOn, index: '0' }), 'addon-netprobe-deploy-0'],
    [
      'hosted deploy work',
      ObjectName.AddOnHostingDeployWork.of({ addOn, namespace: cluster, index: '0' }),
      'addon-netprobe-deploy-hosting-cluster1-0',
    ],
    [
      'hub role ARN',
      AwsName.HubRoleArn.of({ account: '123456789012', suffix: '960c4e56c25ba0b571ddcdaa7edc943e' }),
      'arn:aws:iam::123456789012:role/ocm-hub-960c4e56c25ba0b571ddcdaa7edc943e',
    ],
  ])('%s', (_, name, wire) => {
    expect(name).toBe(wire);
  });

  it.each([
    ['an agent user without agent', UserName.Agent, 'system:open-cluster-management:cluster1'],
    ['an agent user with three parts', UserName.Agent, 'system:open-cluster-management:cluster1:a:b'],
    ['an agent user with an empty part', UserName.Agent, 'system:open-cluster-management::a'],
    [
      'the work of a hosting cluster as that of a managed one',
      ObjectName.AddOnDeployWork,
      'addon-x-deploy-hosting-ns-0',
    ],
  ])('does not recognise %s', (_, name, text) => {
    expect(name.parse(text)).toBeUndefined();
  });

  it('parses the ARN of an EKS cluster', () => {
    expect(AwsName.ClusterArn.parse('arn:aws:eks:us-west-2:123456789012:cluster/hub-cluster1')).toEqual({
      region: 'us-west-2',
      account: '123456789012',
      name: 'hub-cluster1',
    });
  });
});
