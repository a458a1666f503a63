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

const hubNamespace = 'open-cluster-management-hub';

/** Prepares a hub for the servers of both. */
export async function startContest(hub: Cluster): Promise<Contest> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-grpc-'));
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  await permitAgents(hub);
  const { authority, files } = await makeCertificates(write);
  const run = await launcher();
  const hubUser = async (user: string) =>
    (await hub.createUser({ name: user, groups: ['system:masters'] })).kubeconfigPath;
  let started = 0;
  return {
    authority,
    async start(name) {
      started += 1;
      const user = `grpc-server-${name.toLowerCase()}-${started}`;
      const port = await findFreePort();
      const flags = [
        `--kubeconfig=${await hubUser(user)}`,
        `--namespace=${hubNamespace}`,
        `--server-config=${await write(`${name}.yaml`, serverConfig(files, port))}`,
      ];
      const program = await run(name, ['hub', 'server'], [name === 'ours' ? 'grpc-server' : 'grpc', ...flags]);
      await accepts(port);
      return { name, program, port, user, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
    },
    async startHub(name) {
      started += 1;
      const flags = [
        `--kubeconfig=${await hubUser(`hub-${name.toLowerCase()}-${started}`)}`,
        `--namespace=${hubNamespace}`,
        '--enabled-registration-drivers=csr,grpc',
        `--grpc-ca-file=${files.ca}`,
        `--grpc-key-file=${files.caKey}`,
      ];
      // OCM runs each group of controllers as a program of its own.
      const own = name === 'ours' ? ['--controllers=registration'] : [];
      return run(name, ['hub', 'registration'], ['controller', ...own, ...flags]);
    },
    startAgent: (name, part, flags) =>
      run(name, ['agent', part], [name === 'ours' ? part : 'agent', ...flags, '--disable-leader-election']),
    write,
    newDirectory: () => mkdtemp(join(directory, 'agent-')),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Agents of clusters may do everything: what they may do is not what is measured. */
async function permitAgents(hub: Cluster): Promise<void> {
  await deploy(hub, 'hub', ['namespace.yaml', 'bootstrap.yaml']);
  const apiGroup = 'rbac.authorization.k8s.io';
  await hub.client.resource(clusterRoleBindings).create({
    metadata: { name: 'agents' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup, kind: 'Group', name: 'system:open-cluster-management:managed-clusters' }],
  });
}

type Files = Awaited<ReturnType<typeof makeCertificates>>['files'];

/** One authority for the servers and the agents of both. */
async function makeCertificates(write: Contest['write']) {
  const authority = await createAuthority('bench', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['localhost'] }, realClock);
  const files = {
    certificate: await write('tls.crt', serving.certificate),
    key: await write('tls.key', serving.key),
    ca: await write('ca.crt', authority.certificate),
    caKey: await write('ca.key', authority.key),
  };
  return { authority, files };
}

const serverConfig = ({ certificate, key, ca }: Files, port: number): string =>
  [
    `tls_cert_file: ${certificate}`,
    `tls_key_file: ${key}`,
    `client_ca_file: ${ca}`,
    `server_bind_port: "${port}"`,
    '',
  ].join('\n');

/** Starts an app of ours, or the program of OCM that does the same. */
async function launcher() {
  const programs = await ocmPrograms();
  return async (
    name: ContestantName,
    [app, program]: readonly [string, keyof typeof programs],
    args: readonly string[],
  ): Promise<Program> => {
    const flags = [...args, `--listen=127.0.0.1:${await findFreePort()}`];
    return name === 'ours'
      ? startExecutable(process.execPath, [bundleOf(app), ...flags])
      : startExecutable(programs[program], flags);
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
