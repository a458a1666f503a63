import { applyObjects } from '@flotilla/install';
import { namespaces } from '@flotilla/kube/kinds';
import { cliOwner } from '../cluster/owner.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { formatManifests } from '../output/format.ts';
import type { TypedObject } from '../output/kubectl-name.ts';

/** The flags of `create sampleapp`. */
export interface CreateSampleAppOptions extends ChangeOptions {
  readonly output: string;
}

const namespace = 'argocd';

/** The clusters that a placement `app-placement` selects get the guestbook of Argo CD. */
const sampleApp = (name: string): TypedObject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: `${name}-appset`, namespace },
  ...{
    spec: {
      generators: [
        {
          clusterDecisionResource: {
            configMapRef: 'ocm-placement-generator',
            labelSelector: { matchLabels: { 'cluster.open-cluster-management.io/placement': 'app-placement' } },
            requeueAfterSeconds: 30,
          },
        },
      ],
      template: {
        metadata: {
          name: `${name}-{{clusterName}}`,
          labels: { 'apps.open-cluster-management.io/pull-to-ocm-managed-cluster': 'true' },
          annotations: {
            'apps.open-cluster-management.io/ocm-managed-cluster': '{{clusterName}}',
            'argocd.argoproj.io/skip-reconcile': 'true',
          },
        },
        spec: {
          project: 'default',
          source: {
            repoURL: 'https://github.com/argoproj/argocd-example-apps.git',
            targetRevision: 'HEAD',
            path: 'guestbook',
          },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'guestbook' },
          syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] },
        },
      },
    },
  },
});

/** Creates an ApplicationSet of Argo CD that follows a placement. */
export async function createSampleApp(
  context: CliContext,
  name: string,
  options: CreateSampleAppOptions & GlobalOptions,
): Promise<void> {
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  const app = sampleApp(name);
  const report = startChangeReport(context, options);
  if (options.dryRun) {
    if (options.output === 'text') return void context.out.write(formatManifests([app]));
    report.add(app, '');
    return report.end();
  }
  if (!(await hub.client.resource(namespaces).find(namespace))) {
    throw new CliError(
      'precondition',
      `there is no namespace ${namespace}: Argo CD is not installed on this hub`,
      'Install Argo CD with the pull integration of Open Cluster Management first.',
    );
  }
  await applyObjects(hub.client, [app], { owner: cliOwner, clock: context.clock });
  report.add(app, `ApplicationSet ${namespace}/${name}-appset is created`);
  report.end();
}
