import { AppLabelValue } from '@flotilla/api-types';
import type {
  ClusterManagerChartValues,
  ImageCredentials,
  KlusterletChartValues,
  MonitoringValues,
  OperatorValues,
} from './values.ts';

/** Where the images of a release are. */
export const defaultRegistry = 'flotilla';

const noCredentials: ImageCredentials = {
  createImageCredentials: false,
  userName: '',
  password: '',
  dockerConfigJson: '',
};

const monitoring: MonitoringValues = {
  serviceMonitor: { enabled: false, labels: {}, interval: '30s' },
  prometheusRule: { enabled: false, labels: {} },
  grafanaDashboard: { enabled: false, labels: { grafana_dashboard: '1' } },
};

/** Replicas in different zones if that can be, else on different nodes. */
const apart = (app: string): OperatorValues['affinity'] => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      [70, 'topology.kubernetes.io/zone'] as const,
      [30, 'kubernetes.io/hostname'] as const,
    ].map(([weight, topologyKey]) => ({
      weight,
      podAffinityTerm: {
        topologyKey,
        labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] },
      },
    })),
  },
});

const operator = (app: string, replicaCount: number): OperatorValues => ({
  replicaCount,
  podSecurityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    privileged: false,
    runAsNonRoot: true,
    readOnlyRootFilesystem: true,
  },
  resources: { requests: { cpu: '2m', memory: '96Mi' } },
  nodeSelector: {},
  tolerations: [],
  affinity: apart(app),
  enableSyncLabels: false,
  deploymentReplicas: 0,
  extraArgs: [],
  priorityClassName: '',
  podDisruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
});

/** The chart `cluster-manager` without any values of a user. */
export const clusterManagerDefaults: ClusterManagerChartValues = {
  ...operator(AppLabelValue.ClusterManager, 3),
  images: {
    registry: defaultRegistry,
    tag: '',
    imagePullPolicy: 'IfNotPresent',
    overrides: { registrationImage: '', workImage: '', placementImage: '', addOnManagerImage: '', operatorImage: '' },
    imageCredentials: noCredentials,
  },
  createBootstrapToken: false,
  createBootstrapSA: false,
  bootstrapToken: { secret: '', expiration: '' },
  clusterManager: {
    create: true,
    mode: 'Default',
    resourceRequirement: { type: 'Default' },
    nodePlacement: {},
    registrationConfiguration: {
      featureGates: [{ feature: 'DefaultClusterSet', mode: 'Enable' }],
      registrationDrivers: [{ authType: 'csr' }],
    },
    workConfiguration: { workDriver: 'kube' },
    addOnManagerConfiguration: {},
    placementConfiguration: {},
    serverConfiguration: {},
  },
  monitoring,
};

/** The chart `klusterlet` without any values of a user. */
export const klusterletDefaults: KlusterletChartValues = {
  ...operator(AppLabelValue.Klusterlet, 1),
  images: {
    registry: defaultRegistry,
    tag: '',
    imagePullPolicy: 'IfNotPresent',
    overrides: { registrationImage: '', workImage: '', singletonImage: '', operatorImage: '', awsCliImage: '' },
    imageCredentials: noCredentials,
  },
  bootstrapHubKubeConfig: '',
  grpcConfig: '',
  multiHubBootstrapHubKubeConfigs: [],
  externalManagedKubeConfig: '',
  noOperator: false,
  klusterlet: {
    create: true,
    mode: 'Singleton',
    name: '',
    clusterName: '',
    namespace: '',
    externalServerURLs: [],
    hubApiServerHostAlias: {},
    resourceRequirement: { type: 'Default' },
    nodePlacement: {},
    registrationConfiguration: {},
    workConfiguration: {},
  },
  monitoring: { serviceMonitor: monitoring.serviceMonitor },
};
