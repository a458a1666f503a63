import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CloudEventsClient, createCloudEventsClient, type ReconnectOptions } from '@flotilla/cloudevents';
import { type ClusterAccess, realClock, staticAccess } from '@flotilla/kube';
import { clusterRoleBindings, configMaps, namespaces, secrets } from '@flotilla/kube/kinds';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { type Program, startProgram, tail } from '../registration/program.ts';
import { accessOf, deploy, kubeconfigOf, type Server } from '../registration/servers.ts';

const hubNamespace = 'open-cluster-management-hub';

/** A hub with gRPC servers as processes, and no controllers. */
export interface ServerFleet extends AsyncDisposable {
  readonly authority: KeyPair;
  /** Starts a gRPC server with the rights of its manifests; gives it when it serves. */
  startServer(): Promise<{ readonly program: Program; readonly port: number }>;
  /** A client of a server at this port, or of what forwards to one, with the certificate of a cluster's agent. */
  connect(clusterName: string, port: number, reconnect?: ReconnectOptions): Promise<CloudEventsClient>;
  /** How new clusters reach a server. */
  bootstrapAccess(port: number): Promise<ClusterAccess>;
  /** Creates the namespace of a cluster and permits its agent everything that is checked there. */
  permit(clusterName: string): Promise<void>;
  logs(): string;
}

/** Prepares a server as a hub; starts no programs. The hub ends with it. */
export async function startServerFleet(hub: Server): Promise<ServerFleet> {
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(hub);
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-server-'));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await deploy(hub, 'hub', ['namespace.yaml', 'bootstrap.yaml', 'grpc/grpc-server-rbac.yaml']);
  const authority = await createAuthority('grpc-e2e', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1', 'localhost'] }, realClock);
  await hub.client.resource(secrets).create({
    metadata: { name: 'grpc-server-serving-cert', namespace: hubNamespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': btoa(serving.certificate), 'tls.key': btoa(serving.key) },
  });
  await hub.client.resource(configMaps).create({
    metadata: { name: 'ca-bundle-configmap', namespace: hubNamespace },
    data: { 'ca-bundle.crt': authority.certificate },
  });
  const kubeconfig = await kubeconfigOf(hub, `${hubNamespace}/grpc-server-sa`, directory);
  const config = join(directory, 'config.yaml');
  await writeFile(config, 'server_bind_port: "0"\n');
  const programs: Program[] = [];
  const clients: CloudEventsClient[] = [];
  cleanup.defer(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
  });
  const running = cleanup.move();
  return {
    authority,
    async startServer() {
      const program = startProgram('hub', [
        'grpc-server',
        `--kubeconfig=${kubeconfig}`,
        `--namespace=${hubNamespace}`,
        `--server-config=${config}`,
        '--bind-address=127.0.0.1',
      ]);
      programs.push(program);
      const { port } = await program.said('serving clusters by gRPC');
      return { program, port: Number(port) };
    },
    async connect(clusterName, port, reconnect) {
      const group = `system:open-cluster-management:${clusterName}`;
      const request = { usage: 'client', name: `${group}:agent`, groups: [group] } as const;
      const clientCertificate = await issueCertificate(authority, request, realClock);
      const access = staticAccess({
        server: `https://localhost:${port}`,
        ca: authority.certificate,
        clientCertificate,
        origin: 'the fleet',
      });
      const client = createCloudEventsClient({ access, ...(reconnect && { reconnect }) });
      clients.push(client);
      return client;
    },
    async bootstrapAccess(port) {
      const { authorization } = await accessOf(hub, 'open-cluster-management/agent-registration-bootstrap');
      return {
        server: `https://localhost:${port}`,
        ca: authority.certificate,
        origin: 'the fleet',
        ...(authorization && { authorization }),
      };
    },
    async permit(clusterName) {
      await hub.client.resource(namespaces).create({ metadata: { name: clusterName } });
      await hub.client.resource(clusterRoleBindings).create({
        metadata: { name: clusterName },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [
          {
            apiGroup: 'rbac.authorization.k8s.io',
            kind: 'Group',
            name: `system:open-cluster-management:${clusterName}`,
          },
        ],
      });
    },
    logs: () => programs.map(tail).join('\n\n'),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
