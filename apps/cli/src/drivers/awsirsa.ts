import { Annotation, DataKey, type RegistrationDriverAgent } from '@flotilla/api-types';
import {
  type ClusterArn,
  clusterArnOfFlag,
  identityCreatorRoleArn,
  managedRoleArn,
  parseClusterArn,
  roleSuffix,
} from '@flotilla/driver-awsirsa';
import { awsIrsaAgentDriver } from '@flotilla/driver-awsirsa/agent-only';
import type { ClusterAccess } from '@flotilla/kube';
import { bindDriver } from '@flotilla/registration-core/agent';
import { kubeconfigServer } from './kubeconfig-server.ts';
import type { RegistrationDriver } from './registration-driver.ts';

/** IAM roles of EKS clusters. */
export const awsirsa: RegistrationDriver = {
  driver: awsIrsaAgentDriver,
  init: {
    async entry(options, hub, { awsirsa: earlier } = { authType: 'awsirsa' }) {
      const { text } = arnOf('hub-cluster-arn', options.hubClusterArn ?? earlier?.hubClusterArn, hub);
      const patterns = options.autoApprovedArnPatterns ?? earlier?.autoApprovedIdentities;
      const tags = options.awsResourceTags ?? earlier?.tags;
      // Checks what the hub would refuse when it starts. Apart, because nothing else needs regular expressions of RE2.
      const { readHubOptions } = await import('@flotilla/driver-awsirsa/hub-options');
      readHubOptions({
        hubClusterArn: text,
        autoApprovedArnPatterns: [...(patterns ?? [])],
        awsResourceTags: [...(tags ?? [])],
      });
      return {
        authType: 'awsirsa',
        awsirsa: {
          hubClusterArn: text,
          ...(patterns && { autoApprovedIdentities: [...patterns] }),
          ...(tags && { tags: [...tags] }),
        },
      };
    },
    settings({ awsirsa: { hubClusterArn = '', autoApprovedIdentities: patterns = [], tags = [] } = {} }) {
      const hub = clusterArnOfFlag('hub-cluster-arn', hubClusterArn);
      return {
        flags: {
          'hub-cluster-arn': hub.text,
          ...(patterns.length > 0 && { 'auto-approved-arn-patterns': patterns.join(',') }),
          ...(tags.length > 0 && { 'aws-resource-tags': tags.join(',') }),
        },
        accountAnnotations: { [Annotation.EksRoleArn]: identityCreatorRoleArn(hub) },
      };
    },
    joinFlags: ({ awsirsa: entry }) => [
      '--registration-auth awsirsa',
      ...(entry?.hubClusterArn ? [`--hub-cluster-arn ${entry.hubClusterArn}`] : []),
    ],
  },
  join: {
    async entry({ hubClusterArn, managedClusterArn }, managed, earlier) {
      const { awsIrsa } = earlier ?? {};
      const hub = clusterArnOfFlag('hub-cluster-arn', hubClusterArn ?? awsIrsa?.hubClusterArn ?? '');
      const own = arnOf('managed-cluster-arn', managedClusterArn ?? awsIrsa?.managedClusterArn, managed);
      return { authType: 'awsirsa', awsIrsa: { hubClusterArn: hub.text, managedClusterArn: own.text } };
    },
    settings(entry) {
      const { hub, managed } = arnsOf(entry);
      return {
        flags: { 'hub-cluster-arn': hub.text, 'managed-cluster-arn': managed.text },
        accountAnnotations: { [Annotation.EksRoleArn]: managedRoleArn(managed, roleSuffix(hub, managed)) },
      };
    },
    // The kubeconfig names the role; whoever may assume it needs nothing else.
    hasCredentials: ({ [DataKey.Kubeconfig]: kubeconfig = '' }) => kubeconfig.includes('get-token'),
    serverOf: kubeconfigServer,
    bind({ registrationDriver }) {
      const { hub, managed } = arnsOf(registrationDriver);
      return bindDriver(awsIrsaAgentDriver, {
        bootstrapKubeconfig: 'kubeconfig',
        bootstrapKubeconfigs: [],
        hubClusterArn: hub.text,
        managedClusterArn: managed.text,
        managedClusterRoleSuffix: '',
      });
    },
  },
};

/** The ARN that a flag gives. Without it, the name of the cluster in the kubeconfig: `aws eks update-kubeconfig` makes that the ARN. */
function arnOf(flag: string, given: string | undefined, { clusterName = '' }: ClusterAccess): ClusterArn {
  return clusterArnOfFlag(flag, given ?? (parseClusterArn(clusterName) ? clusterName : ''));
}

function arnsOf(entry: RegistrationDriverAgent | undefined): { hub: ClusterArn; managed: ClusterArn } {
  const { hubClusterArn = '', managedClusterArn = '' } = entry?.awsIrsa ?? {};
  return {
    hub: clusterArnOfFlag('hub-cluster-arn', hubClusterArn),
    managed: clusterArnOfFlag('managed-cluster-arn', managedClusterArn),
  };
}
