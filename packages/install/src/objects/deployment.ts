import type { Deployment } from '@flotilla/kube/kinds';

type PodSpec = NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];

/** What differs between the programs of a hub and of an agent. */
export interface DeploymentValues {
  readonly name: string;
  readonly namespace: string;
  /** Value of the label `app`, by which pods are selected. */
  readonly app: string;
  readonly replicas: number;
  readonly serviceAccount: string;
  readonly container: Pick<Container, 'name' | 'image' | 'args' | 'env' | 'envFrom' | 'ports' | 'volumeMounts'>;
  /** `HTTPS` for programs that serve beyond loopback by `--listen`. */
  readonly probeScheme?: 'HTTPS';
  readonly volumes?: PodSpec['volumes'];
}

/** The identity of a replica in leader election and events. */
export const podName = { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };

/** A program as a Deployment: not root, without capabilities, with a read-only file system, and probed at its port `health`. */
export const deployment = (values: DeploymentValues): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: values.name, namespace: values.namespace, labels: { app: values.app } },
  spec: {
    replicas: values.replicas,
    selector: { matchLabels: { app: values.app } },
    template: {
      metadata: { labels: { app: values.app } },
      spec: {
        serviceAccountName: values.serviceAccount,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [containerOf(values)],
        ...(values.volumes && { volumes: values.volumes }),
      },
    },
  },
});

const containerOf = ({ container, probeScheme }: DeploymentValues): Container => {
  const { volumeMounts, ...rest } = container;
  const probe = (path: string) => ({
    httpGet: { path, port: 'health', ...(probeScheme && { scheme: probeScheme }) },
    initialDelaySeconds: 2,
  });
  return {
    ...rest,
    imagePullPolicy: 'IfNotPresent',
    livenessProbe: probe('/livez'),
    readinessProbe: probe('/readyz'),
    resources: { requests: { cpu: '2m', memory: '96Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    ...(volumeMounts && { volumeMounts }),
  };
};
