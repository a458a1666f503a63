import {
  bool,
  bytes,
  defineKind,
  int32,
  listByKey,
  listOf,
  object,
  oneOf,
  optional,
  type Resource,
  rootOf,
  text,
} from '@flotilla/schema/define';
import type { Static } from 'typebox';
import { clusterManagers } from '../../resources.ts';
import { nodePlacement } from '../../schema/node-placement.ts';
import { resourceRequirement } from '../../schema/resource-requirements.ts';
import { EKS_CLUSTER_ARN, featureGates, HOST_NAME, operatorStatus } from './operator-shared.ts';

const IMAGES = 'quay.io/open-cluster-management';

const port = (description: string, value: number) => optional(int32(description, { default: value, maximum: 65535 }));

const bindConfiguration = object('Where the webhook listens.', {
  port: port('Port for admission requests.', 9443),
  healthProbePort: port('Port for health probes; 0 switches them off.', 8000),
  metricsPort: port('Port for metrics; 0 switches them off.', 8080),
  hostNetwork: optional(bool('Whether the pods use the network of the node.')),
});

const defaultWebhook = () =>
  optional(object('Settings of this webhook.', { bindConfiguration: optional(bindConfiguration) }));

const hostedWebhook = () =>
  optional(
    object('Settings of this webhook.', {
      address: text('Name or IP address at which the hub reaches the webhook.', { pattern: HOST_NAME }),
      port: port('Port at which the hub reaches the webhook.', 443),
      bindConfiguration: optional(bindConfiguration),
    }),
  );

const deployOption = object(
  'Where the hub’s components run.',
  {
    mode: oneOf('Default runs them on the hub itself; Hosted runs them on another cluster.', ['Default', 'Hosted'], {
      default: 'Default',
    }),
    default: optional(
      object('Settings of mode Default.', {
        registrationWebhookConfiguration: defaultWebhook(),
        workWebhookConfiguration: defaultWebhook(),
        addonWebhookConfiguration: defaultWebhook(),
      }),
    ),
    hosted: optional(
      object('Settings of mode Hosted.', {
        registrationWebhookConfiguration: hostedWebhook(),
        workWebhookConfiguration: hostedWebhook(),
      }),
    ),
  },
  { default: { mode: 'Default' } },
);

const autoApprovedIdentities = () =>
  optional(listOf('Users whose clusters are accepted without an administrator.', text('Name of a user.')));

const registrationDriver = object('A way for clusters to authenticate.', {
  authType: oneOf('The way: certificate requests, AWS IAM roles, or gRPC.', ['csr', 'awsirsa', 'grpc'], {
    default: 'csr',
  }),
  csr: optional(object('Settings of csr.', { autoApprovedIdentities: autoApprovedIdentities() })),
  awsirsa: optional(
    object('Settings of awsirsa.', {
      hubClusterArn: optional(text('ARN of the hub’s EKS cluster.', { pattern: EKS_CLUSTER_ARN })),
      autoApprovedIdentities: autoApprovedIdentities(),
      tags: optional(listOf('Tags for the AWS objects that are made.', text('A tag as key=value.'))),
    }),
  ),
  grpc: optional(object('Settings of grpc.', { autoApprovedIdentities: autoApprovedIdentities() })),
});

const registrationConfiguration = object('Settings of registration.', {
  autoApproveUsers: optional(
    listOf('Users whose clusters are accepted without an administrator.', text('Name of a user.')),
  ),
  featureGates: featureGates(),
  registrationDrivers: optional(
    listByKey('Ways for clusters to authenticate; csr when empty.', ['authType'], registrationDriver),
  ),
  importerConfiguration: optional(
    object('Settings of the importer of Cluster API clusters.', {
      renderers: optional(listOf('What renders the agent’s manifests.', text('Name of a renderer.'))),
    }),
  ),
});

const endpoint = () => ({
  host: optional(text('Name that agents connect to.')),
  caBundle: optional(bytes('PEM certificates that the server’s certificate is checked against.')),
});

const exposure = (description: string) =>
  optional(
    object(description, {
      type: oneOf('How the endpoint is exposed.', ['hostname', 'loadBalancer', 'route'], { default: 'hostname' }),
      hostname: optional(
        object('Settings of type hostname.', { ...endpoint(), host: text('Name that agents connect to.') }),
      ),
      loadBalancer: optional(object('Settings of type loadBalancer.', endpoint())),
      route: optional(object('Settings of type route.', endpoint())),
    }),
  );

const serverConfiguration = object('Settings of the gRPC server.', {
  imagePullSpec: optional(text('Image of the server.')),
  featureGates: featureGates(),
  endpointsExposure: optional(
    listOf(
      'How the server is reached from outside.',
      object('One endpoint of the server.', {
        protocol: oneOf('Protocol of the endpoint.', ['grpc', 'https'], { default: 'grpc' }),
        usage: optional(text('What the endpoint is for.')),
        grpc: exposure('Settings of protocol grpc.'),
        https: exposure('Settings of protocol https.'),
      }),
    ),
  ),
});

const image = (component: string) =>
  optional(text(`Image of the ${component} component.`, { default: `${IMAGES}/${component}` }));

const spec = object(
  'How the hub is deployed and configured.',
  {
    registrationImagePullSpec: image('registration'),
    workImagePullSpec: image('work'),
    placementImagePullSpec: image('placement'),
    addOnManagerImagePullSpec: image('addon-manager'),
    nodePlacement: optional(nodePlacement('Nodes that the hub’s components may run on.')),
    deployOption: optional(deployOption),
    registrationConfiguration: optional(registrationConfiguration),
    workConfiguration: optional(
      object(
        'Settings of work distribution.',
        {
          workDriver: optional(oneOf('How works travel to the agents.', ['kube', 'mqtt', 'grpc'], { default: 'kube' })),
          featureGates: featureGates(),
        },
        { default: { workDriver: 'kube' } },
      ),
    ),
    placementConfiguration: optional(object('Settings of placement.', { featureGates: featureGates() })),
    addOnManagerConfiguration: optional(object('Settings of the add-on manager.', { featureGates: featureGates() })),
    serverConfiguration: optional(serverConfiguration),
    resourceRequirement: optional(resourceRequirement()),
  },
  { default: { deployOption: { mode: 'Default' } } },
);

const schema = rootOf('The hub as the operator runs it.', { spec: optional(spec), status: optional(operatorStatus) });

/** How the hub is deployed and configured. */
export type ClusterManagerSpec = Static<typeof spec>;
/** A way for clusters to authenticate. */
export type RegistrationDriverHub = Static<typeof registrationDriver>;
/** The hub as the operator runs it. */
export interface ClusterManager extends Resource<typeof schema> {}

/** How the kind is served, and its schema. */
export const clusterManagerKind = defineKind({ resource: clusterManagers, schema });
