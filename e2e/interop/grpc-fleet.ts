import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventServer } from '@flotilla/cloudevents';
import { findFreePort } from '@flotilla/envtest';
import { startGrpcServer } from '@flotilla/grpc-server';
import { type ClusterAccess, createInformers, type Logger, realClock } from '@flotilla/kube';
import { createAuthority, issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import { stringify } from 'yaml';
import type { Cluster } from '../registration/fleet.ts';
import type { Program } from '../registration/program.ts';
import { type InteropFleet, startInteropFleet } from './interop-fleet.ts';

/** A fleet whose clusters join by gRPC. */
export interface GrpcFleet extends InteropFleet {
  /** Signs the client certificates of agents and the certificate of the server. */
  readonly authority: KeyPair;
  readonly files: { readonly ca: string; readonly caKey: string };
  /** How new clusters reach the gRPC server. */
  bootstrapAccess(): ClusterAccess;
  /** The controllers of OCM's hub, which sign for gRPC. */
  startOcmGrpcHub(): Promise<Program>;
  /** The gRPC server of ours, in this process; at another port beside OCM's. */
  startGrpcServer(at?: number): Promise<EventServer>;
  /** Starts OCM's registration agent, which knows the hub by gRPC only; gives it and the directory of its identity. */
  startOcmGrpcAgent(
    cluster: Cluster,
    name: string,
    flags?: readonly string[],
  ): Promise<{ agent: Program; identity: string }>;
  /** Starts OCM's work agent with the identity of the registration agent. */
  startOcmGrpcWorkAgent(cluster: Cluster, name: string, identity: string): Promise<Program>;
  /** OCM's gRPC server. */
  startOcmGrpcServer(): Promise<Program>;
}

const agentNamespace = 'open-cluster-management-agent';
const hubNamespace = 'open-cluster-management-hub';

/** Starts a hub's API server and makes certificates; starts no programs. */
export async function startGrpcFleet(): Promise<GrpcFleet> {
  const fleet = await startInteropFleet();
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-grpc-'));
  const authority = await createAuthority('grpc-e2e', realClock);
  const serving = await issueCertificate(authority, { usage: 'server', hosts: ['127.0.0.1', 'localhost'] }, realClock);
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };
  const files = {
    ca: await write('ca.crt', authority.certificate),
    caKey: await write('ca.key', authority.key),
    certificate: await write('tls.crt', serving.certificate),
    key: await write('tls.key', serving.key),
  };
  const port = await findFreePort();
  const serverConfig = await write(
    'server.yaml',
    [
      `tls_cert_file: ${files.certificate}`,
      `tls_key_file: ${files.key}`,
      `client_ca_file: ${files.ca}`,
      `server_bind_port: "${port}"`,
      '',
    ].join('\n'),
  );
  const servers: EventServer[] = [];
  const lines: string[] = [];
  const log = collecting(lines);
  const self: GrpcFleet = {
    ...fleet,
    authority,
    files,
    bootstrapAccess: () => ({
      server: `https://localhost:${port}`,
      ca: authority.certificate,
      authorization: fleet.bootstrap.authorization,
      origin: 'the gRPC fleet',
    }),
    startOcmGrpcHub: () =>
      fleet.startOcm('registration', fleet.hub, [
        'controller',
        `--namespace=${hubNamespace}`,
        '--enabled-registration-drivers=csr,grpc',
        `--grpc-ca-file=${files.ca}`,
        `--grpc-key-file=${files.caKey}`,
      ]),
    async startGrpcServer(at = port) {
      const informers = createInformers({ client: fleet.hub.client });
      const tls = { ...serving, clientCa: authority.certificate, servingCa: authority.certificate };
      const server = await startGrpcServer({ client: fleet.hub.client, informers, tls, port: at, log });
      servers.push(server);
      return server;
    },
    async startOcmGrpcAgent(cluster, name, flags = []) {
      const identity = await mkdtemp(join(directory, 'hub-kubeconfig-'));
      const { ca = '', authorization = '' } = self.bootstrapAccess();
      const bootstrapConfig = await write(
        `${name}.yaml`,
        stringify({ url: `localhost:${port}`, caData: btoa(ca), token: authorization.replace('Bearer ', '') }),
      );
      const agent = await fleet.startOcm('registration', cluster.server, [
        'agent',
        `--spoke-cluster-name=${name}`,
        `--namespace=${agentNamespace}`,
        `--bootstrap-kubeconfig=${cluster.bootstrapFile}`,
        `--hub-kubeconfig-dir=${identity}`,
        '--registration-auth=grpc',
        `--grpc-bootstrap-config=${bootstrapConfig}`,
        `--grpc-config=${join(identity, 'config.yaml')}`,
        ...flags,
      ]);
      return { agent, identity };
    },
    startOcmGrpcWorkAgent: (cluster, name, identity) =>
      fleet.startOcm('work', cluster.server, [
        'agent',
        `--spoke-cluster-name=${name}`,
        `--namespace=${agentNamespace}`,
        '--workload-source-driver=grpc',
        `--workload-source-config=${join(identity, 'config.yaml')}`,
        `--cloudevents-client-id=${name}-work-agent`,
      ]),
    startOcmGrpcServer: () =>
      fleet.startOcm('server', fleet.hub, ['grpc', `--namespace=${hubNamespace}`, `--server-config=${serverConfig}`]),
    logs: () => [fleet.logs(), ...lines].join('\n'),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.close()));
      await fleet[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return self;
}

/** Keeps what a part of ours logs. */
function collecting(lines: string[]): Logger {
  const add = (message: string, fields: object = {}) => {
    const error = 'error' in fields && fields.error instanceof Error ? fields.error.message : undefined;
    lines.push(JSON.stringify({ message, ...fields, ...(error && { error }) }));
  };
  const log: Logger = { debug: add, info: add, warn: add, error: add, child: () => log };
  return log;
}
