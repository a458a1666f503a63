import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOf, deploy, ocmPrograms, type Program, startExecutable } from '@flotilla/e2e';
import { type Cluster, findFreePort } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { clusterRoleBindings } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';

/** Whose programs are measured. */
export type ContestantName = 'ours' | 'OCM';

/** A gRPC server that runs. */
export interface RunningServer extends AsyncDisposable {
  readonly name: ContestantName;
  readonly program: Program;
  readonly port: number;
  /** Who it is for the API server. */
  readonly user: string;
}

/** Both servers, on the same hub and with the same rights. */
export interface Contest extends AsyncDisposable {
  readonly authority: KeyPair;
  /** Resolves when it serves. */
  start(name: ContestantName): Promise<RunningServer>;
  /** The controllers of a hub that clusters join by the gRPC servers. */
  startHub(name: ContestantName): Promise<Program>;
  /** Starts an agent as it comes, with flags that both know. */
  startAgent(name: ContestantName, part: 'registration' | 'work', flags: readonly string[]): Promise<Program>;
  /** Writes a file that ends with the contest; gives its path. */
  write(name: string, text: string): Promise<string>;
  newDirectory(): Promise<string>;
}

const hubFlags = ['--namespace=open-cluster-management-hub'];

async function prepareHub(hub: Cluster): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await deploy(hub, 'hub', ['namespace.yaml', 'bootstrap.yaml']);
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'agents' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name: 'system:open-cluster-management:managed-clusters' }],
  });
}

/** The certificate that both servers show, and what signs those of agents. */
async function writeCertificates(authority: Contest['authority'], write: Contest['write']) {
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['localhost'] }, realClock);
  return {
    certificate: await write('tls.crt', serving.certificate),
    key: await write('tls.key', serving.key),
    ca: await write('ca.crt', authority.certificate),
    caKey: await write('ca.key', authority.key),
  };
}

/** What `--server-config` of both servers reads. */
const serverConfig = (files: { certificate: string; key: string; ca: string }, port: number): string =>
  [
    `tls_cert_file: ${files.certificate}`,
    `tls_key_file: ${files.key}`,
    `client_ca_file: ${files.ca}`,
    `server_bind_port: "${port}"`,
    '',
  ].join('\n');

/** Prepares a hub for the servers of both. Agents of clusters may do everything: what they may do is not what is measured. */
export async function startContest(hub: Cluster): Promise<Contest> {
  const programs = await ocmPrograms();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-grpc-'));
  await prepareHub(hub);
  const authority = await createAuthority('bench', realClock);
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const files = await writeCertificates(authority, write);
  const listen = async () => `--listen=127.0.0.1:${await findFreePort()}`;
  const run = (
    name: ContestantName,
    [app, program]: readonly [string, keyof typeof programs],
    args: readonly string[],
  ) =>
    name === 'ours'
      ? startExecutable(process.execPath, [bundleOf(app), ...args])
      : startExecutable(programs[program], args);
  const hubUser = async (user: string) =>
    (await hub.createUser({ name: user, groups: ['system:masters'] })).kubeconfigPath;
  let started = 0;
  return {
    authority,
    async start(name) {
      started += 1;
      const user = `grpc-server-${name.toLowerCase()}-${started}`;
      const kubeconfigPath = await hubUser(user);
      const port = await findFreePort();
      const config = await write(`${name}.yaml`, serverConfig(files, port));
      const flags = [`--kubeconfig=${kubeconfigPath}`, ...hubFlags, `--server-config=${config}`, await listen()];
      const program = run(name, ['hub', 'server'], [name === 'ours' ? 'grpc-server' : 'grpc', ...flags]);
      await accepts(port);
      return { name, program, port, user, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
    },
    async startHub(name) {
      started += 1;
      const flags = [
        `--kubeconfig=${await hubUser(`hub-${name.toLowerCase()}-${started}`)}`,
        ...hubFlags,
        '--enabled-registration-drivers=csr,grpc',
        `--grpc-ca-file=${files.ca}`,
        `--grpc-key-file=${files.caKey}`,
        await listen(),
      ];
      // OCM runs each group of controllers as a program of its own.
      const own = name === 'ours' ? ['--controllers=registration'] : [];
      return run(name, ['hub', 'registration'], ['controller', ...own, ...flags]);
    },
    async startAgent(name, part, flags) {
      const command = name === 'ours' ? part : 'agent';
      return run(name, ['agent', part], [command, ...flags, '--disable-leader-election', await listen()]);
    },
    write,
    newDirectory: () => mkdtemp(join(directory, 'agent-')),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** When a port accepts connections: OCM's server says nothing when it does. */
async function accepts(port: number): Promise<void> {
  for (;;) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    await realClock.sleep(50);
  }
}
