import { config, defineAddon, health, kubeClient } from '@flotilla/addon-sdk';
import type { Deployment } from '@flotilla/kube/kinds';
import { projectedServiceAccounts } from './projected-service-account.ts';

const { group, plural } = projectedServiceAccounts;
const rbac = 'rbac.authorization.k8s.io';
const name = 'service-account-tokens-agent';
const labels = { app: name };

/** Its agents give the hub tokens of service accounts of their clusters, one for each ProjectedServiceAccount. */
export const serviceAccountTokens = defineAddon({
  name: 'service-account-tokens',
  configs: { deployment: config.deployment() },
  installNamespace: ({ configs }) => configs.deployment?.spec.agentInstallNamespace,
  registration: [
    kubeClient({
      permissions: (agent) =>
        agent.inClusterNamespace([
          { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
          { apiGroups: [group], resources: [`${plural}/status`], verbs: ['patch', 'update'] },
          // Of names that users choose. What it does not own, it does not change.
          { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
        ]),
    }),
  ],
  health: health.workloads(),
  render(context) {
    const { installNamespace: namespace, clusterName, secrets } = context;
    const metadata = { name, namespace };
    const agent: Deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            ...context.podDefaults(),
            serviceAccountName: name,
            containers: [
              {
                name: 'agent',
                image: context.image('flotilla/service-account-tokens:0.0.0'),
                args: [
                  'agent',
                  '--hub-kubeconfig=/var/run/hub/kubeconfig',
                  `--cluster-name=${clusterName}`,
                  `--addon-namespace=${namespace}`,
                ],
                env: [...context.proxyEnv()],
                volumeMounts: [{ name: 'hub', mountPath: '/var/run/hub', readOnly: true }],
              },
            ],
            volumes: [{ name: 'hub', secret: { secretName: secrets.hubKubeconfig } }],
          },
        },
      },
    };
    return [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata,
        rules: [
          { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get', 'create', 'delete'] },
          { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] },
          { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'patch'] },
        ],
      },
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: rbac, kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
      agent,
    ];
  },
});
