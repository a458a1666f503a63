import { Annotation, RegistrationDriverName } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { OptionValues } from '@flotilla/process';
import {
  type AgentDriver,
  type AgentDriverContext,
  authTypeAnnotation,
  type StoredCredentials,
} from '@flotilla/registration-core/contract';
import { checkOwnCluster, kubeHub } from '@flotilla/registration-core/kube-hub';
import { acceptanceIssuer } from './acceptance.ts';
import { clusterArnOfFlag, partitionError } from './arn.ts';
import { hubRoleArn, roleSuffix } from './names.ts';
import type { agentOptions } from './options.ts';
import { evaluateStored, execUser } from './stored-role.ts';
import { createTokenCredentials } from './token/token-credentials.ts';
import type { TokenSource } from './token/token-source.ts';

/** Registers the cluster by the IAM role that the hub creates for it. The agent makes its tokens itself. */
export function createAwsIrsaAgent(context: AgentDriverContext<OptionValues<typeof agentOptions>>): AgentDriver {
  const { identity, options, clock } = context;
  const { hub, managed, suffix } = readOptions(options);
  const roleArn = hubRoleArn(hub, suffix);
  const end = new AbortController();
  let tokens: TokenSource | undefined;
  // The AWS SDK is loaded with the first token, so that agents of other auth types do not pay for it.
  const tokenSource = async (): Promise<TokenSource> => {
    const { createTokenSource } = await import('./token/token-source.ts');
    tokens ??= createTokenSource({ hub, roleArn, sessionName: identity.clusterName, clock });
    return tokens;
  };
  const credentials = createTokenCredentials(tokenSource, roleArn, end.signal);
  const kube = kubeHub(context, { user: execUser(hub, roleArn), credentials });
  const evaluate = (stored: StoredCredentials) =>
    evaluateStored(stored, { clusterName: identity.clusterName, roleArn });
  return {
    ...kube,
    evaluate,
    start: acceptanceIssuer(identity.clusterName, evaluate),
    decorate: (cluster) => ({
      ...cluster,
      metadata: {
        ...cluster.metadata,
        annotations: {
          ...cluster.metadata?.annotations,
          [authTypeAnnotation]: RegistrationDriverName.AwsIrsa,
          [Annotation.ManagedClusterArn]: managed.text,
          [Annotation.ManagedClusterIamRoleSuffix]: suffix,
        },
      },
    }),
    async checkConnection(client, signal) {
      const failure = credentials.failure();
      if (failure) return { connected: false, reason: 'CredentialsFailed', message: failure.message };
      return checkOwnCluster(client, identity.clusterName, signal);
    },
    close() {
      end.abort();
      kube.close();
      tokens?.close();
    },
  };
}

/** The two clusters, and the suffix of their roles: given, or computed. One that does not fit would be refused by the hub. */
function readOptions(options: OptionValues<typeof agentOptions>) {
  const hub = clusterArnOfFlag('hub-cluster-arn', options.hubClusterArn);
  const managed = clusterArnOfFlag('managed-cluster-arn', options.managedClusterArn);
  const error = partitionError(hub, managed);
  if (error) {
    throw new KubeError('Config', error, {
      hint: 'Correct --hub-cluster-arn or --managed-cluster-arn, or join with --registration-auth=csr.',
    });
  }
  const suffix = roleSuffix(hub, managed);
  const given = options.managedClusterRoleSuffix;
  if (given !== '' && given !== suffix) {
    throw new KubeError('Config', `--managed-cluster-role-suffix is "${given}", and "${suffix}" for these ARNs`, {
      hint: 'Correct --hub-cluster-arn or --managed-cluster-arn, or leave --managed-cluster-role-suffix out.',
    });
  }
  return { hub, managed, suffix };
}
