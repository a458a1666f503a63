import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate } from '@flotilla/kube/pki';
import { stringify } from 'yaml';
import { type Program, startProgram } from '../registration/program.ts';
import { accessOf, deploy, kubeconfigOf, type Server } from '../registration/servers.ts';

/** How a work agent reaches its hub. */
export interface WorkSource {
  readonly flags: readonly string[];
  /** Gives the agent a new credential. */
  renewCredential(): Promise<void>;
  readonly programs: readonly Program[];
}

/** The gRPC server of a hub as a process, with certificates of a test, and an agent that has a token for it. */
export async function startGrpcSource(hub: Server, account: string, directory: string): Promise<WorkSource> {
  await deploy(hub, 'hub', ['namespace.yaml', 'grpc/grpc-server-rbac.yaml']);
  const authority = await createAuthority('works over gRPC', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['localhost'] }, realClock);
  const port = await findFreePort();
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const serverConfig = {
    tls_cert_file: await write('tls.crt', serving.certificate),
    tls_key_file: await write('tls.key', serving.key),
    client_ca_file: await write('ca.crt', authority.certificate),
    server_bind_port: String(port),
  };
  const server = startProgram('hub', [
    'grpc-server',
    `--kubeconfig=${await kubeconfigOf(hub, 'open-cluster-management-hub/grpc-server-sa', directory)}`,
    '--namespace=open-cluster-management-hub',
    `--server-config=${await write('server.yaml', stringify(serverConfig))}`,
    '--bind-address=127.0.0.1',
  ]);
  await server.said('serving clusters by gRPC');
  const renewCredential = async () => {
    const { authorization = '' } = await accessOf(hub, account);
    const token = authorization.replace('Bearer ', '');
    await write('config.yaml', stringify({ url: `localhost:${port}`, caData: btoa(authority.certificate), token }));
  };
  await renewCredential();
  return {
    flags: ['--workload-source-driver=grpc', `--workload-source-config=${join(directory, 'config.yaml')}`],
    renewCredential,
    programs: [server],
  };
}
