import { Label, NamespaceName, SecretName } from '@flotilla/api-types';
import type { Deployment } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { podName } from '../objects/deployment.ts';
import { accountSubject, boundClusterRole, type Rules, serviceAccount } from '../objects/rbac.ts';
import { protectionOf } from '../operated-hub/protection.ts';
import { withoutEmpty } from './merge-values.ts';
import type { OperatorValues } from './values.ts';

/** One of the two operators. */
export interface OperatorProgram {
  /** Of its Deployment, service account, role and label `app`. */
  readonly name: 'cluster-manager' | 'klusterlet';
  /** Of its container. */
  readonly container: 'registration-operator' | 'klusterlet';
  /** The first argument of `flotilla-operator`. */
  readonly command: 'hub' | 'klusterlet';
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly rules: Rules;
  /** Which images it installs, if a ClusterManager or Klusterlet names none. */
  readonly imageFlags: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

const namespace = NamespaceName.Operator;

/** As whom the operator runs, what it may do, and its Deployment. */
export function operatorObjects(program: OperatorProgram, values: OperatorValues): KubeObject[] {
  const account = {
    ...serviceAccount(namespace, program.name),
    imagePullSecrets: [{ name: SecretName.ImagePullCredentials }],
  };
  return [
    account,
    ...boundClusterRole(program.name, program.rules, [accountSubject(account)]),
    ...protectedOperator(program, values),
  ];
}

/** The Deployment, and what of its protection is enabled: a chart without values has OCM's objects alone. */
function protectedOperator(program: OperatorProgram, values: OperatorValues): KubeObject[] {
  const deployment = operatorDeployment(program, values);
  const [disruptionBudget, networkPolicy] = protectionOf(deployment);
  return [
    deployment,
    ...(values.podDisruptionBudget.enabled ? [disruptionBudget] : []),
    ...(values.networkPolicy.enabled ? [networkPolicy] : []),
  ];
}

function operatorDeployment(program: OperatorProgram, values: OperatorValues): Deployment {
  const { name, annotations = {} } = program;
  const labels = { [Label.App]: name };
  const { nodeSelector, tolerations, affinity, podSecurityContext, priorityClassName } = values;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: values.replicaCount,
      selector: { matchLabels: labels },
      template: {
        metadata: { ...withoutEmpty({ annotations: { ...annotations } }), labels },
        spec: {
          serviceAccountName: name,
          ...withoutEmpty({ securityContext: podSecurityContext, nodeSelector: { ...nodeSelector } }),
          ...withoutEmpty({ tolerations: [...tolerations], affinity, priorityClassName }),
          containers: [containerOf(program, values)],
          volumes: [{ name: 'tmpdir', emptyDir: {} }],
        },
      },
    },
  };
}

function containerOf(
  { container, command, image, imagePullPolicy, imageFlags }: OperatorProgram,
  { enableSyncLabels, deploymentReplicas, extraArgs, securityContext, resources }: OperatorValues,
) {
  const probe = (path: string) => ({
    httpGet: { path, port: 'health', scheme: 'HTTPS' },
    initialDelaySeconds: 2,
    periodSeconds: 10,
  });
  return {
    name: container,
    image,
    imagePullPolicy,
    args: [
      command,
      '--listen=0.0.0.0:8443',
      ...imageFlags,
      ...(enableSyncLabels ? ['--enable-sync-labels'] : []),
      ...(deploymentReplicas > 0 ? [`--deployment-replicas=${deploymentReplicas}`] : []),
      ...extraArgs,
    ],
    // The image that an importer installs on other clusters.
    env: [podName, ...(command === 'hub' ? [{ name: 'AGENT_IMAGE', value: image }] : [])],
    ports: [{ name: 'health', containerPort: 8443 }],
    livenessProbe: probe('/livez'),
    readinessProbe: probe('/readyz'),
    ...withoutEmpty({ resources, securityContext }),
    volumeMounts: [{ name: 'tmpdir', mountPath: '/tmp' }],
  };
}
