import { join } from 'node:path';
import type { Clock, ClusterAccess } from '@flotilla/kube';
import { stringify } from 'yaml';
import { createIdentity, type Identity } from '../access/identity.ts';
import type { Binaries } from '../binaries/binaries.ts';
import { type ClusterPki, createClusterPki } from '../pki/cluster-pki.ts';
import { writePrivateFile } from '../pki/private-file.ts';
import { type Component, createComponent } from '../processes/component.ts';
import { etcdSocket } from '../processes/etcd-socket.ts';
import { startOnPort } from '../processes/free-port.ts';
import { probeServer, probeSocket } from '../processes/probe.ts';
import type { Watchdog } from '../processes/watchdog.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { waitUntil } from '../wait.ts';
import { apiServerFlags, auditPolicy, controllerManagerFlags, etcdFlags } from './component-flags.ts';
import { type Flags, renderFlags } from './flags.ts';
import type { StartClusterOptions } from './options.ts';

/** The running processes and the administrator's credentials. */
export interface ControlPlane {
  readonly directory: string;
  readonly pki: ClusterPki;
  readonly etcd: Component;
  readonly apiServer: Component;
  readonly controllerManager: Component;
  /** Group system:masters. */
  readonly admin: Identity;
  readonly server: string;
  readonly auditLog: string;
  /** Whether it began with what an earlier start stored, CRDs included. */
  readonly restored: boolean;
}

/** What the processes of a control plane run with. */
export interface ControlPlaneContext {
  options: StartClusterOptions;
  binaries: Binaries;
  directory: string;
  env: NodeJS.ProcessEnv;
  watchdog: Watchdog;
  clock: Clock;
}

/** Starts etcd, then the API server when etcd is ready. The controller manager is left to the caller. */
export async function startControlPlane(context: ControlPlaneContext, snapshot: Snapshot): Promise<ControlPlane> {
  const { options, directory, clock } = context;
  const { component, poll } = componentsOf(context);
  const etcd = component(
    'etcd',
    () => renderFlags(etcdFlags(directory), options.etcdFlags),
    (signal) => {
      const healthy = async () =>
        (await probeSocket(join(directory, etcdSocket), '/health', { signal })).body.includes('"health":"true"');
      return poll('etcd is healthy', healthy, signal);
    },
  );
  const [pki, audit, restored] = await Promise.all([
    createClusterPki(join(directory, 'pki'), clock),
    prepareAudit(directory, options.audit ?? false),
    etcd.start().then(() => snapshot.restore()),
  ]);

  let port = 0;
  const adminCertificate = await pki.issue({ usage: 'client', name: 'admin', groups: ['system:masters'] });
  const access = (): ClusterAccess => ({
    server: `https://127.0.0.1:${port}`,
    ca: pki.trustBundle,
    clientCertificate: adminCertificate,
    origin: `envtest cluster in ${directory}`,
  });
  const apiServer = component(
    'kube-apiserver',
    () => renderFlags(apiServerFlags({ port, pki: pki.files }), audit.flags, options.apiServerFlags),
    (signal) => {
      const ready = async () => (await probeServer(access(), '/readyz', signal)).status === 200;
      return poll('the API server is ready', ready, signal);
    },
  );
  await startOnPort(options.port, (candidate) => {
    port = candidate;
    return apiServer.start();
  });
  const admin = await createIdentity(directory, 'admin', access());

  const controllerManager = createControllerManager(context, { admin, pki, access });
  const { server } = access();
  return { directory, pki, etcd, apiServer, controllerManager, admin, server, auditLog: audit.log, restored };
}

/** Makes the components of a control plane, and waits for them. */
function componentsOf({ options, binaries, directory, env, watchdog, clock }: ControlPlaneContext) {
  const readyTimeoutMs = options.startTimeoutMs ?? 60_000;
  const logs = options.logsDirectory ?? join(directory, 'logs');
  return {
    component: (
      name: 'etcd' | 'kube-apiserver' | 'kube-controller-manager',
      args: () => string[],
      ready: (signal: AbortSignal) => Promise<void>,
    ): Component =>
      createComponent({
        name,
        command: binaries.path(name),
        args,
        ready,
        directory,
        logFile: join(logs, `${name}.log`),
        // GOGC: who starts many of them may give them memory for time.
        env: { PATH: env.PATH, TMPDIR: env.TMPDIR, GOGC: env.GOGC },
        watchdog,
        clock,
        readyTimeoutMs,
      }),
    poll: (what: string, attempt: (signal: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void> =>
      waitUntil(what, attempt, { clock, timeoutMs: readyTimeoutMs, signal }),
  };
}

function createControllerManager(
  context: ControlPlaneContext,
  { admin, pki, access }: Pick<ControlPlane, 'admin' | 'pki'> & { readonly access: () => ClusterAccess },
): Component {
  const { options } = context;
  const { component, poll } = componentsOf(context);
  return component(
    'kube-controller-manager',
    () =>
      renderFlags(
        controllerManagerFlags({
          kubeconfig: admin.kubeconfigPath,
          pki: pki.files,
          signingDuration: options.signingDuration ?? '8760h',
          workloads: options.workloads ?? false,
        }),
        options.controllerManagerFlags,
      ),
    (signal) => {
      // It serves nothing; that the default ServiceAccount exists shows that its controllers work.
      const path = '/api/v1/namespaces/default/serviceaccounts/default';
      const works = async () => (await probeServer(access(), path, signal)).status === 200;
      return poll('the controller manager works', works, signal);
    },
  );
}

async function prepareAudit(directory: string, enabled: boolean): Promise<{ log: string; flags: Flags }> {
  const log = join(directory, 'audit.log');
  if (!enabled) return { log, flags: {} };
  const policy = join(directory, 'audit-policy.yaml');
  await writePrivateFile(policy, stringify(auditPolicy));
  return { log, flags: { 'audit-policy-file': policy, 'audit-log-path': log } };
}
