import {
  ApiGroup,
  AppLabelValue,
  DataKey,
  type Klusterlet,
  NamespaceName,
  ObjectName,
  SecretName,
} from '@flotilla/api-types';
import type { PriorityClass, Secret } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { Manifests } from '../manifests.ts';
import { klusterletDefaults } from './defaults.ts';
import { pullSecret } from './image-credentials.ts';
import { type ChartRelease, imageOf } from './images.ts';
import { klusterletOperatorRules } from './klusterlet-rules.ts';
import { mergeValues, withoutEmpty } from './merge-values.ts';
import { operatorMonitoring } from './monitoring.ts';
import { operatorObjects } from './operator-program.ts';
import type { GivenValues, KlusterletChartValues } from './values.ts';

/** The definition that the chart brings; the operator brings those of an agent. */
export async function klusterletDefinitions(): Promise<Manifests['definitions']> {
  const { customResourceDefinitions } = await import('@flotilla/api-types/kinds');
  return customResourceDefinitions().filter(({ metadata }) => metadata.name.startsWith('klusterlets.'));
}

/** Where the Klusterlet of a chart is, by its mode. */
export function klusterletNames({ mode, name, clusterName, namespace }: KlusterletChartValues['klusterlet']) {
  const hosted = mode === 'Hosted' || mode === 'SingletonHosted';
  const klusterlet =
    name || (hosted ? ObjectName.ChartHostedKlusterlet.of({ cluster: clusterName }) : ObjectName.Klusterlet);
  const onManaged = namespace || (hosted ? `open-cluster-management-${clusterName}` : NamespaceName.Agent);
  return { hosted, klusterlet, namespace: onManaged, agentNamespace: hosted ? klusterlet : onManaged };
}

/** What the chart `klusterlet` installs with these values, without Helm. Charts of both ways are compared by tests. */
export function klusterletObjects(given: GivenValues<KlusterletChartValues>, release: ChartRelease): KubeObject[] {
  const values = mergeValues(klusterletDefaults, given);
  const { images, klusterlet, noOperator } = values;
  const { hosted, agentNamespace } = klusterletNames(klusterlet);
  const secrets = agentSecrets(values, agentNamespace);
  const makesNamespace = secrets.length > 0 && agentNamespace !== NamespaceName.Operator;
  return [
    ...(makesNamespace ? [namespaceOf(agentNamespace)] : []),
    ...(images.imageCredentials.createImageCredentials ? [pullSecret(AppLabelValue.Klusterlet, images)] : []),
    ...secrets,
    ...(hosted || noOperator ? [] : operatorOf(values, release)),
    ...(klusterlet.create ? [klusterletOf(values, release)] : []),
    ...(hosted || noOperator ? [] : operatorMonitoring(AppLabelValue.Klusterlet, values.monitoring)),
  ];
}

/** The operator alone, for a cluster that hosts agents of others and has none yet. */
export const klusterletOperatorObjects = (
  given: GivenValues<KlusterletChartValues>,
  release: ChartRelease,
): KubeObject[] => operatorOf(mergeValues(klusterletDefaults, given), release);

function operatorOf(values: KlusterletChartValues, release: ChartRelease): KubeObject[] {
  const { images, priorityClassName } = values;
  const program = {
    name: AppLabelValue.Klusterlet,
    container: 'klusterlet',
    command: 'klusterlet',
    image: imageOf(images, release, 'operator', images.overrides.operatorImage),
    imagePullPolicy: images.imagePullPolicy,
    rules: klusterletOperatorRules(),
    imageFlags: [
      `--agent-image=${imageOf(images, release, 'agent', '')}`,
      `--singleton-image=${imageOf(images, release, 'singleton', '')}`,
      ...(images.overrides.awsCliImage ? [`--aws-cli-image=${images.overrides.awsCliImage}`] : []),
    ],
    annotations: { 'target.workload.openshift.io/management': '{"effect": "PreferredDuringScheduling"}' },
  } as const;
  return [...(priorityClassName ? [priorityClassOf(priorityClassName)] : []), ...operatorObjects(program, values)];
}

const priorityClassOf = (name: string): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value: 1_000_000,
  globalDefault: false,
  preemptionPolicy: 'PreemptLowerPriority',
  description: 'The agent of a managed cluster, and its operator.',
});

const namespaceOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations: { 'workload.openshift.io/allowed': 'management' } },
});

/** How the agent reaches its hubs, and in the hosted modes its cluster. */
function agentSecrets(values: KlusterletChartValues, namespace: string): Secret[] {
  const { bootstrapHubKubeConfig, grpcConfig, multiHubBootstrapHubKubeConfigs, externalManagedKubeConfig } = values;
  const secret = (name: string, data: Readonly<Record<string, string>>): Secret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'Opaque',
    data: Object.fromEntries(
      Object.entries(withoutEmpty(data)).map(([key, value]) => [key, Buffer.from(value ?? '').toString('base64')]),
    ),
  });
  const one = { [DataKey.Kubeconfig]: bootstrapHubKubeConfig, [DataKey.DriverConfig]: grpcConfig };
  const bootstrap =
    multiHubBootstrapHubKubeConfigs.length > 0
      ? multiHubBootstrapHubKubeConfigs.map(({ name, kubeConfig }) =>
          secret(name, { [DataKey.Kubeconfig]: kubeConfig }),
        )
      : bootstrapHubKubeConfig || grpcConfig
        ? [secret(SecretName.BootstrapHubKubeconfig, one)]
        : [];
  return [
    ...bootstrap,
    ...(externalManagedKubeConfig
      ? [secret(SecretName.ExternalManagedKubeconfig, { [DataKey.Kubeconfig]: externalManagedKubeConfig })]
      : []),
  ];
}

function klusterletOf(values: KlusterletChartValues, release: ChartRelease): Klusterlet {
  const { images, priorityClassName, klusterlet } = values;
  const { create: _, mode, name: __, clusterName, namespace: ___, ...configurations } = klusterlet;
  const names = klusterletNames(klusterlet);
  const { registrationImage, workImage, singletonImage } = images.overrides;
  return {
    apiVersion: `${ApiGroup.Operator}/v1`,
    kind: 'Klusterlet',
    metadata: { name: names.klusterlet },
    spec: {
      deployOption: { mode },
      registrationImagePullSpec: imageOf(images, release, 'agent', registrationImage),
      workImagePullSpec: imageOf(images, release, 'agent', workImage),
      imagePullSpec: imageOf(images, release, 'singleton', singletonImage),
      namespace: names.namespace,
      ...withoutEmpty({ clusterName, priorityClassName, ...configurations }),
    } as Klusterlet['spec'],
  };
}
