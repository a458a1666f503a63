import { dnsLabelPattern } from '@flotilla/schema';
import {
  bytes,
  defineKind,
  int32,
  int64,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { klusterlets } from '../../resources.ts';
import { nodePlacement } from '../../schema/node-placement.ts';
import { resourceRequirement } from '../../schema/resource-requirements.ts';
import { EKS_CLUSTER_ARN, featureGates, HOST_NAME, operatorStatus } from './operator-shared.ts';

const DURATIONS = '^([0-9]+(s|m|h))+$';

const clientLimits = (subject: string) => ({
  qps: optional(int32(`Requests a second to ${subject}.`, { default: 50 })),
  burst: optional(int32(`Requests at once to ${subject}.`, { default: 100 })),
});
const own = clientLimits('the API server of the managed cluster');
const hub = clientLimits('the hub');

const bootstrapKubeConfigs = object('Hubs that the agent may register with, and when to move on.', {
  type: oneOf(
    'None uses one bootstrap kubeconfig; LocalSecrets tries those in localSecretsConfig.',
    ['None', 'LocalSecrets'],
    {
      default: 'None',
    },
  ),
  localSecretsConfig: optional(
    object('Settings of type LocalSecrets.', {
      kubeConfigSecrets: listOf(
        'Secrets with bootstrap kubeconfigs, in order of preference.',
        object('A secret with a bootstrap kubeconfig.', { name: text('Name of the secret.') }),
      ),
      hubConnectionTimeoutSeconds: optional(
        int32('How long the hub may be unreachable before the next one is tried.', { default: 600, minimum: 180 }),
      ),
    }),
  ),
});

const registrationDriver = object('How the agent authenticates to the hub.', {
  authType: oneOf('The way: certificate requests, AWS IAM roles, or gRPC.', ['csr', 'awsirsa', 'grpc'], {
    default: 'csr',
  }),
  awsIrsa: optional(
    object('Settings of awsirsa.', {
      hubClusterArn: text('ARN of the hub’s EKS cluster.', { minLength: 1, pattern: EKS_CLUSTER_ARN }),
      managedClusterArn: text('ARN of this EKS cluster.', { minLength: 1, pattern: EKS_CLUSTER_ARN }),
    }),
  ),
});

const addOnDriver = object('How add-on agents authenticate to the hub.', {
  authType: optional(oneOf('Certificate requests or service account tokens.', ['csr', 'token'])),
  token: optional(
    object('Settings of authType token.', {
      expirationSeconds: optional(int64('Lifetime of the tokens.')),
    }),
  ),
});

const registrationConfiguration = object('Settings of the registration agent.', {
  clientCertExpirationSeconds: optional(
    int32('Lifetime to ask for in certificate requests; the signer’s own when unset.'),
  ),
  featureGates: featureGates(),
  clusterAnnotations: optional(mapOf('Annotations of the ManagedCluster on the hub.', text('The annotation’s value.'))),
  clusterLabels: optional(mapOf('Labels of the ManagedCluster on the hub.', text('The label’s value.'))),
  kubeAPIQPS: own.qps,
  kubeAPIBurst: own.burst,
  bootstrapKubeConfigs: optional(bootstrapKubeConfigs),
  registrationDriver: optional(registrationDriver),
  addOnKubeClientRegistrationDriver: optional(addOnDriver),
  clusterClaimConfiguration: optional(
    object('Which cluster claims are reported.', {
      maxCustomClusterClaims: int32('How many custom claims are reported.', { default: 20 }),
      reservedClusterClaimSuffixes: optional(
        listOf('Suffixes of claims that are always reported.', text('A suffix.', { minLength: 1, maxLength: 64 }), {
          maxItems: 10,
        }),
      ),
    }),
  ),
});

const workConfiguration = object('Settings of the work agent.', {
  featureGates: featureGates(),
  kubeAPIQPS: own.qps,
  kubeAPIBurst: own.burst,
  hubKubeAPIQPS: hub.qps,
  hubKubeAPIBurst: hub.burst,
  statusSyncInterval: optional(text('How often the status of applied objects is polled.', { pattern: DURATIONS })),
  appliedManifestWorkEvictionGracePeriod: optional(
    text('How long applied objects stay after their work or hub is gone.', { pattern: DURATIONS }),
  ),
});

const spec = object('How the agents are deployed and configured.', {
  namespace: optional(
    text('Namespace of the agents.', { maxLength: 57, pattern: '^open-cluster-management-[-a-z0-9]*[a-z0-9]$' }),
  ),
  clusterName: optional(
    text('Name of this cluster on the hub; chosen at random when empty.', {
      maxLength: 63,
      pattern: dnsLabelPattern,
    }),
  ),
  registrationImagePullSpec: optional(text('Image of the registration agent.')),
  workImagePullSpec: optional(text('Image of the work agent.')),
  imagePullSpec: optional(text('Image of the single agent, for mode Singleton.')),
  externalServerURLs: optional(
    listOf(
      'Addresses at which the hub can reach this cluster’s API server.',
      object('An address of the API server.', {
        url: text('The address.'),
        caBundle: optional(bytes('PEM certificates that the API server’s certificate is checked against.')),
      }),
    ),
  ),
  nodePlacement: optional(nodePlacement('Nodes that the agents may run on.')),
  deployOption: optional(
    object('Where the agents run.', {
      mode: optional(text('Default, Hosted, Singleton or SingletonHosted.')),
    }),
  ),
  priorityClassName: optional(text('Priority class of the agents’ pods.')),
  registrationConfiguration: optional(registrationConfiguration),
  workConfiguration: optional(workConfiguration),
  hubApiServerHostAlias: optional(
    object('A fixed address for the name of the hub’s API server.', {
      ip: text('IPv4 address of the hub.', {
        pattern: '^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$',
      }),
      hostname: text('Name of the hub.', { pattern: HOST_NAME }),
    }),
  ),
  resourceRequirement: optional(resourceRequirement()),
});

const schema = rootOf('The agents as the operator runs them on a managed cluster.', {
  spec: optional(spec),
  status: optional(operatorStatus),
});

/** How the agents are deployed and configured. */
export type KlusterletSpec = Static<typeof spec>;
/** How the agent authenticates to the hub. */
export type RegistrationDriverAgent = Static<typeof registrationDriver>;
/** The agents as the operator runs them on a managed cluster. */
export interface Klusterlet extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const klusterletKind = defineKind({ resource: klusterlets, schema });
