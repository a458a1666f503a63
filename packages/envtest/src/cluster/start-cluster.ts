import { createKubeClient, realClock } from '@flotilla/kube';
import { createTransport } from '@flotilla/kube/transport';
import { createAdminAccess } from '../access/admin-access.ts';
import { createIdentity } from '../access/identity.ts';
import { createBootstrapToken, createServiceAccountToken, type TokenContext } from '../access/tokens.ts';
import { createUser } from '../access/users.ts';
import { registerWebhook, startWebhook } from '../admission/webhook.ts';
import { ensureBinaries } from '../binaries/ensure-binaries.ts';
import { compactEtcd, expireResourceVersions } from '../faults/etcd.ts';
import { rotateServingCertificate } from '../faults/rotation.ts';
import { pkiFiles } from '../pki/cluster-pki.ts';
import {
  openClusterDirectory,
  releaseClusterDirectory,
  sweepStaleDirectories,
} from '../processes/cluster-directory.ts';
import { startWatchdog } from '../processes/watchdog.ts';
import { openSnapshot } from '../snapshot/snapshot.ts';
import { readAuditLog } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { apiServerFlags } from './component-flags.ts';
import { type ControlPlane, type ControlPlaneContext, startControlPlane } from './control-plane.ts';
import { installCrds, whenCrdsServed } from './crds.ts';
import { runKubectl } from './kubectl.ts';
import type { StartClusterOptions } from './options.ts';

/**
 * Starts etcd, kube-apiserver and kube-controller-manager on loopback, and resolves when they work.
 * The cluster ends with `await using`, with `stop()`, or with this process, however that ends.
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<Cluster> {
  const clock = options.clock ?? realClock;
  const env = options.binaries?.env ?? process.env;
  const binaries = await ensureBinaries(options.binaries);
  await sweepStaleDirectories(clock);
  const directory = await openClusterDirectory(options.dataDirectory);
  const watchdog = startWatchdog(options.dataDirectory === undefined ? { directory } : {});
  const context: ControlPlaneContext = { options, binaries, directory, env, watchdog, clock };
  try {
    const snapshot = await openSnapshot(context, apiServerFlags({ port: 0, pki: pkiFiles('') }));
    const plane = await startControlPlane(context, snapshot);
    const cluster = createHandle(plane, context);
    if (plane.restored) {
      await whenCrdsServed(cluster.client, options.crds ?? [], waiting(context));
    } else {
      await cluster.installCrds(options.crds ?? []);
      // Before the controller manager adds what a cluster without it does not have.
      await snapshot.keep();
    }
    if (options.controllerManager ?? true) await plane.controllerManager.start();
    return cluster;
  } catch (error) {
    await watchdog.close();
    if (options.dataDirectory !== undefined) await releaseClusterDirectory(directory);
    throw error;
  }
}

function createHandle(plane: ControlPlane, context: ControlPlaneContext): Cluster {
  const { directory, server, pki, etcd, apiServer, controllerManager } = plane;
  const { clock } = context;
  const { kubeconfigPath } = plane.admin;
  const wait = waiting(context);
  const admin = createAdminAccess(plane.admin);
  const client = createKubeClient({
    transport: createTransport({ access: admin, clock, userAgent: 'flotilla-envtest' }),
    fieldManager: 'flotilla-envtest',
    clock,
  });
  const tokens: TokenContext = { client, clock, directory, access: () => ({ server, ca: pki.trustBundle }) };
  const issueServingCertificate = servingCertificates(pki);
  const stop = async () => {
    await client.close();
    admin.close();
    await stopProcesses(plane, context);
  };

  return {
    directory,
    server,
    etcd,
    apiServer,
    controllerManager,
    get ca() {
      return pki.trustBundle;
    },
    get access() {
      return admin.identity.access;
    },
    get kubeconfig() {
      return admin.identity.kubeconfig;
    },
    kubeconfigPath,
    client,
    createUser: (user) => createUser(plane, user),
    createServiceAccountToken: (account, request) => createServiceAccountToken(tokens, account, request),
    createBootstrapToken: (request) => createBootstrapToken(tokens, request),
    installCrds: (crds) => installCrds(client, crds, wait),
    kubectl: (args, run) =>
      runKubectl({ binary: context.binaries.path('kubectl'), directory, kubeconfigPath, env: context.env }, args, run),
    auditEvents: () => readAuditLog(plane.auditLog),
    startWebhook: (webhook) => startWebhook({ client, ...wait, issueServingCertificate }, webhook),
    registerWebhook: (registration) => registerWebhook(client, registration),
    issueServingCertificate,
    async rotateServingCertificate(rotation = {}) {
      const rotated = await rotateServingCertificate(plane, rotation, wait);
      const access = { ...admin.identity.access, ca: pki.trustBundle };
      admin.replace(await createIdentity(directory, 'admin', access));
      return rotated;
    },
    compactEtcd: () => compactEtcd(directory),
    expireResourceVersions: () => expireResourceVersions(plane),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const waiting = ({ clock, options }: ControlPlaneContext) => ({ clock, timeoutMs: options.startTimeoutMs ?? 60_000 });

async function stopProcesses(
  { directory, controllerManager, apiServer, etcd }: ControlPlane,
  { options, watchdog }: ControlPlaneContext,
): Promise<void> {
  // Data that is removed next need not be flushed.
  const keep = options.dataDirectory !== undefined;
  for (const component of [controllerManager, apiServer, etcd]) await (keep ? component.stop() : component.kill());
  await watchdog.close();
  if (keep) await releaseClusterDirectory(directory);
}

const servingCertificates =
  (pki: ControlPlane['pki']) =>
  async ({ hosts = ['127.0.0.1', 'localhost'] }: { hosts?: readonly string[] } = {}) => ({
    ...(await pki.issue({ usage: 'server', hosts })),
    ca: pki.servingCa.certificate,
  });
