import { KubeError } from '@flotilla/kube';

/** An EKS cluster, as its ARN names it. */
export interface ClusterArn {
  readonly text: string;
  /** `aws`, `aws-cn`, `aws-us-gov`, …: roles of the cluster's account are in the same one. */
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly name: string;
}

const clusterArn =
  /^arn:(?<partition>aws(?:-[a-z]+)*):eks:(?<region>[a-z0-9-]+):(?<account>\d{12}):cluster\/(?<name>[0-9A-Za-z][0-9A-Za-z_-]{0,99})$/;

/** The form that an ARN must have, for messages. */
export const clusterArnForm = 'arn:aws:eks:<region>:<12-digit account>:cluster/<name>';

/** Reads the ARN of an EKS cluster; undefined for any other text. */
export function parseClusterArn(text: string): ClusterArn | undefined {
  const fields = clusterArn.exec(text)?.groups;
  if (!fields) return undefined;
  const { partition = '', region = '', account = '', name = '' } = fields;
  return { text, partition, region, account, name };
}

/** Why a cluster cannot come to a hub by its role, if so: AWS keeps the identities of its partitions apart. */
export const partitionError = (hub: ClusterArn, managed: ClusterArn): string | undefined =>
  hub.partition === managed.partition
    ? undefined
    : `${managed.text} is in the partition ${managed.partition} and the hub ${hub.text} in ${hub.partition}: no role can be assumed across them`;

/** Reads the ARN that a flag holds, or says what is wrong with the flag. */
export function clusterArnOfFlag(flag: string, text: string): ClusterArn {
  const arn = parseClusterArn(text);
  if (arn) return arn;
  const what = text === '' ? 'is not set' : `"${text}" is not the ARN of an EKS cluster`;
  throw new KubeError('Config', `--${flag} ${what}`, {
    hint: `Give --${flag}=${clusterArnForm}. "aws eks describe-cluster --name NAME --query cluster.arn" prints it.`,
  });
}
