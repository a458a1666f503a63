import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf, deploy, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { clusterRoleBindings } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';

/** A gRPC server that runs. */
export interface RunningServer {
  readonly name: 'ours' | 'OCM';
  readonly program: Program;
  readonly port: number;
  /** Who it is for the API server. */
  readonly user: string;
}

/** Both servers, on the same hub and with the same rights. */
export interface Contest extends AsyncDisposable {
  readonly authority: KeyPair;
  start(name: 'ours' | 'OCM'): Promise<RunningServer>;
}

const hubNamespace = 'open-cluster-management-hub';

/** Prepares a hub for the servers of both. Agents of clusters may do everything: what they may do is not what is measured. */
export async function startContest(hub: Cluster): Promise<Contest> {
  const programs = await ocmPrograms();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-grpc-'));
  await deploy(hub, 'hub', ['namespace.yaml', 'bootstrap.yaml']);
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'agents' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [
      {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Group',
        name: 'system:open-cluster-management:managed-clusters',
      },
    ],
  });
  const authority = await createAuthority('bench', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['localhost'] }, realClock);
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const files = {
    certificate: await write('tls.crt', serving.certificate),
    key: await write('tls.key', serving.key),
    ca: await write('ca.crt', authority.certificate),
  };
  let started = 0;
  return {
    authority,
    async start(name) {
      started += 1;
      const user = `grpc-server-${name.toLowerCase()}-${started}`;
      const { kubeconfigPath } = await hub.createUser({ name: user, groups: ['system:masters'] });
      const port = await findFreePort();
      const config = await write(
        `${name}.yaml`,
        [
          `tls_cert_file: ${files.certificate}`,
          `tls_key_file: ${files.key}`,
          `client_ca_file: ${files.ca}`,
          `server_bind_port: "${port}"`,
          '',
        ].join('\n'),
      );
      const flags = [
        `--kubeconfig=${kubeconfigPath}`,
        `--namespace=${hubNamespace}`,
        `--server-config=${config}`,
        `--listen=127.0.0.1:${await findFreePort()}`,
      ];
      const program =
        name === 'ours'
          ? startExecutable(process.execPath, [bundleOf('hub'), 'grpc-server', ...flags])
          : startExecutable(programs.server, ['grpc', ...flags]);
      return { name, program, port, user };
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
