import { type Clock, KubeError } from '@flotilla/kube';
import { createTokenSource } from './token-source.ts';

/** What `aws eks get-token` is asked for. */
export interface TokenRequest {
  readonly region: string;
  readonly clusterName: string;
  /** Undefined to sign with the credentials of the process. */
  readonly roleArn: string | undefined;
}

/** How `aws-token` is called. */
export const tokenUsage =
  'Usage: aws-token --region REGION --cluster-name NAME [--role ARN], with the arguments of "aws eks get-token".';

const valued = {
  '--region': 'region',
  '--cluster-name': 'clusterName',
  '--role': 'roleArn',
  '--role-arn': 'roleArn',
} as const;
/** Accepted and without effect: the output is JSON in any case. */
const ignored = ['--output'];

/**
 * Reads the arguments of `aws --region R eks get-token --cluster-name N [--output json] [--role ARN]`, in any order, so that a
 * kubeconfig which OCM wrote for the AWS CLI works with this program in its place.
 */
export function parseTokenRequest(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): TokenRequest {
  const found: Partial<Record<'region' | 'clusterName' | 'roleArn', string>> = {};
  const rest = [...args];
  for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
    const [flag = '', inline] = next.split('=', 2);
    if (next === 'eks' || next === 'get-token') continue;
    const isValued = flag in valued;
    if (!isValued && !ignored.includes(flag)) {
      throw new KubeError('Config', `unknown argument "${next}"`, { hint: tokenUsage });
    }
    const value = inline ?? rest.shift();
    if (value === undefined) throw new KubeError('Config', `${flag} has no value`, { hint: tokenUsage });
    if (isValued) found[valued[flag as keyof typeof valued]] = value;
  }
  const region = found.region ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION;
  if (!region) throw new KubeError('Config', '--region is not set', { hint: tokenUsage });
  if (!found.clusterName) throw new KubeError('Config', '--cluster-name is not set', { hint: tokenUsage });
  return { region, clusterName: found.clusterName, roleArn: found.roleArn };
}

/** A token in the form in which kubectl and client-go read it from a plugin. */
export async function execCredential({ region, clusterName, roleArn }: TokenRequest, clock: Clock): Promise<string> {
  const hub = { region, name: clusterName };
  const tokens = createTokenSource({ hub, roleArn, sessionName: 'flotilla-aws-token', clock });
  try {
    const { token, expiresAt } = await tokens.mint(new AbortController().signal);
    const expirationTimestamp = new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z');
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    return JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: {}, status: { expirationTimestamp, token } });
  } finally {
    tokens.close();
  }
}
