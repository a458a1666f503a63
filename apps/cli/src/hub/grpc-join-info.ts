import { CliError } from '../errors/cli-error.ts';
import type { GrpcJoinInfo } from './grpc-server.ts';
import { isOnlyLocal, type JoinInfo } from './join-info.ts';

type GrpcInfo = Pick<JoinInfo, 'token' | 'grpc'>;

/** The `join` command for a cluster that reaches the gRPC server only; undefined if the hub has none. */
export const grpcJoinCommand = (
  program: string,
  { token, grpc }: GrpcInfo,
  clusterName = '<cluster_name>',
): string | undefined =>
  grpc &&
  [
    `${program} join --hub-token ${token} --registration-auth grpc --grpc-server ${grpc.server}`,
    ...grpc.hashes.map((hash) => `--grpc-ca-hash ${hash}`),
    `--cluster-name ${clusterName}`,
  ].join(' ');

/** The same as `register`; undefined if the hub has no gRPC server. */
export const grpcRegisterCommand = (
  program: string,
  { token, grpc }: GrpcInfo,
  clusterName?: string,
): string | undefined =>
  grpc &&
  [
    `${program} register ${grpc.server} --token ${token} --discovery-token-ca-cert-hash ${grpc.hashes.join(',')}`,
    '--registration-auth grpc',
    ...(clusterName === undefined ? [] : [`--cluster-name ${clusterName}`]),
  ].join(' ');

/** What to print about it beside another command. */
export function grpcAdvice(program: string, joinInfo: GrpcInfo, clusterName?: string): string {
  const command = grpcJoinCommand(program, joinInfo, clusterName);
  if (!command) return '';
  if (!joinInfo.grpc?.ca) {
    return `\nThe gRPC server has no certificate yet: start the hub, then \`${program} get token\` prints how clusters join by it.\n`;
  }
  return `\nor, on a cluster that cannot reach the API server of the hub, by its gRPC server:\n\n    ${command}\n`;
}

/** Refuses to print a command that could not verify the gRPC server. */
export function requireGrpcServer(program: string, { grpc }: Pick<JoinInfo, 'grpc'>): void {
  if (!grpc) {
    const hint = `Add one: \`${program} init --registration-drivers csr,grpc --grpc-server HOST:PORT\`. Or leave out --registration-auth grpc.`;
    throw new CliError('precondition', 'this hub has no gRPC server, or no address of it is known', hint);
  }
  if (grpc.hashes.length > 0) return;
  const hint = 'Start the controllers of the hub, which make it, then run this again.';
  throw new CliError('precondition', 'the gRPC server has no certificate yet, so clusters could not verify it', hint);
}

/** Why the address of the gRPC server may be of no use to other machines, if so. */
export function grpcAddressWarning(grpc: GrpcJoinInfo | undefined): string | undefined {
  if (!grpc || !isOnlyLocal(`https://${grpc.server}`)) return undefined;
  return `Clusters on other machines cannot reach ${grpc.server}: give the hub another address by \`init --grpc-server\`.`;
}
