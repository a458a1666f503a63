import { DataKey } from '@flotilla/api-types';
import type { KubeconfigUser } from '@flotilla/kube/kubeconfig';
import type { CredentialState, StoredCredentials } from '@flotilla/registration-core/contract';
import { parse } from 'yaml';
import type { ClusterArn } from './arn.ts';

/** The command of OCM's images. Readers other than the agent run it; `flotilla-agent aws-token` takes the same arguments. */
const awsCommand = '/awscli/dist/aws';

/** The user of the stored kubeconfig, as OCM writes it: a plugin that prints a token for the hub's role. */
export const execUser = (hub: ClusterArn, roleArn: string): KubeconfigUser => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    args: [
      '--region',
      hub.region,
      'eks',
      'get-token',
      '--cluster-name',
      hub.name,
      '--output',
      'json',
      '--role',
      roleArn,
    ],
    command: awsCommand,
    env: null,
    provideClusterInfo: false,
  },
});

/** Whose credentials are evaluated. */
export interface RoleIdentity {
  readonly clusterName: string;
  readonly roleArn: string;
}

/** Whether a stored kubeconfig is for this role and cluster. Its tokens are made when they are needed, so it does not expire. */
export function evaluateStored(stored: StoredCredentials, { clusterName, roleArn }: RoleIdentity): CredentialState {
  const { kubeconfig } = stored;
  if (!kubeconfig) return { usable: false, reason: 'Missing', message: 'there is no kubeconfig for the hub' };
  const args = execArgs(kubeconfig);
  if (!args) return { usable: false, reason: 'Malformed', message: 'the kubeconfig for the hub has no exec plugin' };
  const storedName = stored[DataKey.ClusterName] ?? clusterName;
  const storedRole = args[args.indexOf('--role') + 1];
  if (storedName === clusterName && storedRole === roleArn) return { usable: true };
  const message = `the kubeconfig for the hub is that of cluster "${storedName}" with role ${storedRole}`;
  return { usable: false, reason: 'OtherIdentity', message };
}

/** Arguments of the plugin of the only user; undefined if the text is something else. */
function execArgs(kubeconfig: string): readonly unknown[] | undefined {
  try {
    const args = parse(kubeconfig)?.users?.[0]?.user?.exec?.args;
    return Array.isArray(args) ? args : undefined;
  } catch {
    return undefined;
  }
}
