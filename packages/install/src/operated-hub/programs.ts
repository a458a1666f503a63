import {
  AppLabelValue,
  ConfigMapName,
  MountPath,
  SecretName,
  ServiceAccountName,
  ServiceName,
  UserName,
} from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import { podName } from '../objects/deployment.ts';
import {
  type HubContainer,
  healthFlag,
  healthProbe,
  namespaceFlag,
  operatedDeployment,
} from './operated-deployment.ts';
import { hasGrpc, isOcmImage, type OperatedHub, type WebhookServerName } from './operated-hub.ts';
import { clusterProxy, pushAgents } from './own-programs.ts';

/** Beside another container in the same pod. */
const debugHealth = { port: 8444, scheme: 'HTTPS' } as const;
const podNamespace = { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } };
/** The name of the port on which webhook servers serve metrics. */
export const webhookMetricsPort = 'metrics';
export const grpcPort = 8090;
export const debugPort = 9443;

const registrationController = (hub: OperatedHub): Deployment => {
  const signer = MountPath.GrpcSignerDirectory;
  // OCM's name of the volume is misspelled, and its users know it so.
  const volume = { name: 'grpc-server-singer', mountPath: signer, readOnly: true };
  const serverUser = UserName.ServiceAccount.of({
    namespace: hub.namespace,
    name: ServiceAccountName.GrpcServer,
  });
  return operatedDeployment(hub, {
    suffix: 'registration-controller',
    app: AppLabelValue.RegistrationController,
    account: ServiceAccountName.RegistrationController,
    containers: [
      {
        name: 'hub-registration-controller',
        image: hub.images.registration,
        command: {
          own: ['controller', '--controllers=registration', healthFlag, namespaceFlag(hub)],
          ocm: ['/registration', 'controller'],
        },
        ownFlags: [...(hub.ownRegistrationFlags ?? []), ...(hasGrpc(hub) ? [`--grpc-server-users=${serverUser}`] : [])],
        flags: [
          ...hub.gateFlags.registration,
          ...hub.registrationFlags,
          ...(hasGrpc(hub) ? [`--grpc-ca-file=${signer}/tls.crt`, `--grpc-key-file=${signer}/tls.key`] : []),
        ],
        probe: healthProbe,
        ...(hasGrpc(hub) && { mounts: [volume] }),
      },
    ],
    ...(hasGrpc(hub) && { volumes: [{ name: volume.name, secret: { secretName: SecretName.Signer } }] }),
  });
};

const servers = {
  registration: {
    account: ServiceAccountName.RegistrationWebhook,
    certificate: SecretName.RegistrationWebhookServingCert,
    image: 'registration',
    program: '/registration',
  },
  work: {
    account: ServiceAccountName.WorkWebhook,
    certificate: SecretName.WorkWebhookServingCert,
    image: 'work',
    program: '/work',
  },
  addon: {
    account: ServiceAccountName.AddOnWebhook,
    certificate: SecretName.AddOnWebhookServingCert,
    image: 'addonManager',
    program: '/addon',
  },
} as const;

/** OCM's webhook of registration gets one gate at least. */
const webhookGates = (hub: OperatedHub, server: WebhookServerName): readonly string[] => {
  if (server === 'addon') return [];
  const flags = hub.gateFlags[server];
  return server === 'registration' && flags.length === 0 ? ['--feature-gates=DefaultClusterSet=true'] : flags;
};

const webhookServer = (hub: OperatedHub, server: WebhookServerName): Deployment => {
  const { account, certificate, image, program } = servers[server];
  const { port, healthProbePort, metricsPort, hostNetwork } = hub.webhooks[server];
  const name = `${hub.name}-${server}-webhook`;
  const directory = MountPath.WebhookServingCertDirectory;
  return operatedDeployment(hub, {
    suffix: `${server}-webhook`,
    app: name,
    account,
    hostNetwork,
    containers: [
      {
        name: server === 'addon' ? name : `${hub.name}-webhook`,
        image: hub.images[image],
        command: { own: ['webhook-server', `--webhooks=${server}`], ocm: [program, 'webhook-server'] },
        // An upgrade must not refuse a write: pods answer until API servers know of their end.
        ownFlags: [`--certdir=${directory}`, '--shutdown-delay-duration=5s'],
        flags: [
          `--port=${port}`,
          `--health-probe-port=${healthProbePort}`,
          `--metrics-port=${metricsPort}`,
          ...webhookGates(hub, server),
        ],
        ports: [
          { name: 'webhooks', containerPort: port },
          ...(metricsPort > 0 ? [{ name: webhookMetricsPort, containerPort: metricsPort }] : []),
        ],
        probe: healthProbePort > 0 ? { port: healthProbePort } : undefined,
        mounts: [{ name: 'webhook-secret', mountPath: directory, readOnly: true }],
      },
    ],
    volumes: [{ name: 'webhook-secret', secret: { secretName: certificate } }],
  });
};

const debugServer = (hub: OperatedHub): HubContainer => ({
  name: 'debug-server',
  image: hub.images.placement,
  command: {
    own: ['placement-debug', `--port=${debugPort}`, `--listen=0.0.0.0:${debugHealth.port}`],
    ocm: ['/placement', 'debug', `--listen=0.0.0.0:${debugPort}`, '--disable-leader-election'],
  },
  flags: [],
  ports: [{ name: 'debug', containerPort: debugPort }],
  probe: isOcmImage(hub.images.placement) ? { port: debugPort, scheme: 'HTTPS' } : debugHealth,
});

const placementController = (hub: OperatedHub): Deployment =>
  operatedDeployment(hub, {
    suffix: 'placement-controller',
    app: AppLabelValue.PlacementController,
    account: ServiceAccountName.PlacementController,
    containers: [
      {
        name: 'placement-controller',
        image: hub.images.placement,
        command: { own: ['placement', healthFlag, namespaceFlag(hub)], ocm: ['/placement', 'controller'] },
        flags: hub.gateFlags.placement,
        probe: healthProbe,
      },
      ...(hub.features.placementDebug ? [debugServer(hub)] : []),
    ],
  });

const workController = (hub: OperatedHub): Deployment => {
  const config = { name: 'workdriverconfig', mountPath: MountPath.WorkDriverDirectory, readOnly: true };
  const { flags, hasConfig } = hub.workDriver;
  return operatedDeployment(hub, {
    suffix: 'work-controller',
    app: `${hub.name}-work-controller`,
    account: ServiceAccountName.WorkController,
    containers: [
      {
        name: `${hub.name}-work-controller`,
        image: hub.images.work,
        command: { own: ['work-manager', healthFlag, namespaceFlag(hub)], ocm: ['/work', 'manager'] },
        flags: [...hub.gateFlags.work, ...flags],
        probe: healthProbe,
        ...(hasConfig && { mounts: [config] }),
      },
    ],
    ...(hasConfig && { volumes: [{ name: config.name, secret: { secretName: SecretName.WorkDriverConfig } }] }),
  });
};

const addonManager = (hub: OperatedHub): Deployment =>
  operatedDeployment(hub, {
    suffix: 'addon-manager-controller',
    app: AppLabelValue.AddOnManagerController,
    account: ServiceAccountName.AddOnManagerController,
    containers: [
      {
        name: 'addon-manager-controller',
        image: hub.images.addonManager,
        command: { own: ['addon-manager', healthFlag, namespaceFlag(hub)], ocm: ['/addon', 'manager'] },
        flags: hub.gateFlags.addon,
        env: [podName, podNamespace],
        probe: healthProbe,
      },
    ],
  });

const grpcServer = (hub: OperatedHub): Deployment => {
  const config = { name: 'config', mountPath: MountPath.GrpcConfigDirectory, readOnly: true };
  const ca = { name: 'ca', mountPath: MountPath.GrpcCaDirectory, readOnly: true };
  const serving = { name: 'serving-cert', mountPath: MountPath.GrpcServingCertDirectory, readOnly: true };
  return operatedDeployment(hub, {
    suffix: 'grpc-server',
    app: ServiceName.GrpcServer.of({ clusterManager: hub.name }),
    account: ServiceAccountName.GrpcServer,
    containers: [
      {
        name: 'grpc-server',
        image: hub.images.server,
        command: { own: ['grpc-server', healthFlag, namespaceFlag(hub)], ocm: ['/server', 'grpc'] },
        ownFlags: [`--certdir=${serving.mountPath}`, `--client-ca-file=${ca.mountPath}/ca-bundle.crt`],
        flags: [`--server-config=${config.mountPath}/config.yaml`],
        env: [podName, podNamespace],
        ports: [{ name: 'grpc', containerPort: grpcPort }],
        probe: healthProbe,
        mounts: [config, ca, serving],
      },
    ],
    volumes: [
      { name: config.name, configMap: { name: ConfigMapName.GrpcServerConfig, optional: true } },
      { name: ca.name, configMap: { name: ConfigMapName.CaBundle } },
      { name: serving.name, secret: { secretName: SecretName.GrpcServerServingCert } },
    ],
  });
};

/** All programs of a hub as Deployments. */
export const operatedDeployments = (hub: OperatedHub): Deployment[] => [
  registrationController(hub),
  webhookServer(hub, 'registration'),
  webhookServer(hub, 'work'),
  webhookServer(hub, 'addon'),
  placementController(hub),
  ...(hub.features.workController ? [workController(hub)] : []),
  ...(hub.features.addonManager ? [addonManager(hub)] : []),
  ...(hasGrpc(hub) ? [grpcServer(hub)] : []),
  ...(hub.clusterProxy ? [clusterProxy(hub)] : []),
  ...(hub.features.pushAgents ? [pushAgents(hub)] : []),
];
