import { ClusterRoleName, Label, NamespaceName, ServiceAccountName } from '@flotilla/api-types';
import { removeObject } from '@flotilla/install';
import { clusterRoleBindings, clusterRoles, secrets, serviceAccounts } from '@flotilla/kube/kinds';
import { removalOf } from '../cluster/removal.ts';
import type { ChangeOptions, CliContext, GlobalOptions, WaitOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { startProgress } from '../output/progress.ts';
import { startReport } from '../output/removal-report.ts';

/** The flags of `delete token`. */
export interface DeleteTokenOptions extends ChangeOptions, WaitOptions {
  readonly output: string;
}

const bindings = [
  ClusterRoleName.BootstrapServiceAccountBinding,
  ClusterRoleName.BootstrapTokenBinding,
  ClusterRoleName.BootstrapServiceAccountBindingOfCli,
];

/** Ends every token by which clusters can request to join, also those that were given out: their account goes, and their rights. */
export async function deleteToken(context: CliContext, options: DeleteTokenOptions & GlobalOptions): Promise<void> {
  const { dryRun = false, output } = options;
  await using hub = await context.connector.toCluster(options);
  const { client } = hub;
  await requireHub(client);
  using progress = startProgress(context);
  const report = startReport(context, { dryRun, output });
  const removal = removalOf(context, client, options, { progress, ...report });
  const tokens = await client
    .resource(secrets)
    .list({ namespace: NamespaceName.KubeSystem, labelSelector: `${Label.App}=cluster-manager` });
  const objects = [
    ...bindings.map((name) => [clusterRoleBindings, name] as const),
    [clusterRoles, ClusterRoleName.Bootstrap] as const,
    ...tokens.items
      .filter(({ type }) => type === 'bootstrap.kubernetes.io/token')
      .map(({ metadata }) => [secrets, `${NamespaceName.KubeSystem}/${metadata?.name}`] as const),
    [serviceAccounts, `${NamespaceName.Operator}/${ServiceAccountName.AgentRegistrationBootstrap}`] as const,
  ];
  for (const [type, key] of objects) {
    const handle = client.metadata(type);
    const found = await handle.find(key);
    if (found) await removeObject(removal, handle, { ...found, kind: type.kind });
  }
  report.end();
  context.err.write(`No cluster can request to join any more. \`${context.program} get token\` allows it again.\n`);
}
