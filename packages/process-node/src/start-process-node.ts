import { mkdir, realpath, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { createInformers, KubeError, realClock, runControllers, silentLogger } from '@flotilla/kube';
import type { KeyPair } from '@flotilla/kube/pki';
import { claimAddresses, type NodeAddresses } from './addresses/node-addresses.ts';
import { assembleNode } from './assemble-node.ts';
import type { NodeContext } from './contracts/node-context.ts';
import { programPath } from './environment/program-path.ts';
import { kubeletAuthorizer } from './kubelet/authorize.ts';
import { followClientAuthority } from './kubelet/client-authority.ts';
import { KubeletServer } from './kubelet/kubelet-server.ts';
import { keepServingCertificate } from './kubelet/serving-certificate.ts';
import { kubeletUpgrades } from './kubelet/upgrades.ts';
import { networkBase } from './network/network-base.ts';
import { machineCapacity } from './nodes/node.status.ts';
import type { ProcessNode, ProcessNodeOptions } from './options.ts';
import type { ProcessHost } from './processes/container-process.ts';
import { namespaceBase } from './processes/mount-namespace.ts';
import { startWatchdog } from './processes/watchdog.ts';

/** How long the start waits for the certificate of the kubelet's endpoint. */
const servingDeadlineMs = 5000;

/** Registers a node that runs pods as processes of this machine, and resolves when it is ready for them. */
export async function startProcessNode(options: ProcessNodeOptions): Promise<ProcessNode> {
  const { client, name = 'process-node', clock = realClock, log = silentLogger } = options;
  await using cleanup = new AsyncDisposableStack();
  const stop = new AbortController();
  cleanup.defer(() => stop.abort());
  await mkdir(join(options.directory, 'scratch'), { recursive: true, mode: 0o700 });
  // What an earlier start left: its processes ended with it.
  await rm(join(options.directory, 'pods'), { recursive: true, force: true });
  // Mounts are found by the path that the kernel knows.
  const directory = await realpath(options.directory);

  const kubelet = new KubeletServer({ clock, log });
  const addresses = await claimAddresses(log, (address) => kubelet.listen(address));
  cleanup.defer(() => kubelet.close());
  const node: NodeContext = {
    name,
    hostIP: addresses.node,
    client,
    images: options.images,
    allow: options.allow ?? {},
    directory,
    environment: containerDefaults(options.server),
    capacity: machineCapacity(),
    clock,
    log,
  };
  const host = await processHost(options, node, addresses, cleanup);
  const informers = createInformers({ client, clock, log });
  cleanup.defer(() => informers.close());
  const parts = assembleNode({ options, node, host, informers, addresses }, cleanup);
  const find = (key: string) => parts.pods.find(key);
  const upgrades = kubeletUpgrades({ find, host, clock, log });
  cleanup.defer(() => upgrades.close());
  kubelet.serve({ authorize: kubeletAuthorizer(client, name), find, upgrade: upgrades.upgrade });
  const finished = runControllers(parts.controllers, { signal: stop.signal, clock, log });
  const serving = Promise.withResolvers<void>();
  const certificates = serveKubelet(kubelet, node, serving.resolve, stop.signal);
  cleanup.defer(async () => {
    await Promise.allSettled([parts.reportNotReady(), parts.pods.stop()]);
    stop.abort();
    await Promise.allSettled([finished, certificates]);
  });
  // A cluster that signs no certificates has no logs, but pods.
  const isServing = Promise.race([serving.promise, clock.sleep(servingDeadlineMs, stop.signal)]);
  await Promise.race([Promise.all([parts.registered, isServing]), finished]);

  const running = cleanup.move();
  const close = () => running.disposeAsync();
  options.signal?.addEventListener('abort', () => void close(), { once: true });
  finished.catch((error) => log.error('the process node ended', { error }));
  return {
    name,
    address: addresses.node,
    mounts: host.namespace ? 'namespace' : 'rewrite',
    network: host.network ? 'namespace' : 'machine',
    finished,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What containers are started by, and who ends them if this process dies. */
async function processHost(
  options: ProcessNodeOptions,
  { directory, clock, log }: NodeContext,
  addresses: NodeAddresses,
  cleanup: AsyncDisposableStack,
): Promise<ProcessHost> {
  const { mounts } = options;
  const namespace = mounts === 'rewrite' ? undefined : await namespaceBase(join(directory, 'scratch'), directory);
  if (mounts === 'namespace' && !namespace) {
    throw new KubeError('Config', 'mounts: containers cannot have a mount namespace here', {
      hint: 'Run as root on Linux with util-linux, or set mounts to "rewrite".',
    });
  }
  if (!namespace)
    log.info('containers share the files of this machine: mount paths in arguments and variables are rewritten');
  else if (!namespace.ownsProcesses)
    log.info('containers share the processes of this machine: what they start without variables may outlive them');
  const watchdog = startWatchdog();
  cleanup.defer(() => watchdog.close());
  const network = await networkBase(options, addresses, { watchdog, clock });
  return { ...(namespace && { namespace }), ...(network && { network }), watchdog, clock };
}

/** The certificates of the kubelet's endpoint: its own, and the authority of its callers. */
async function serveKubelet(
  kubelet: KubeletServer,
  node: NodeContext,
  onServing: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, log, name, hostIP } = node;
  const identity = { client, clock, log, name, address: hostIP };
  let pair: KeyPair | undefined;
  let clientCa: string | undefined;
  const use = () => {
    if (!pair) return;
    kubelet.use(pair, clientCa);
    onServing();
  };
  const keepPair = keepServingCertificate(
    identity,
    (renewed) => {
      pair = renewed;
      use();
    },
    signal,
  );
  const keepAuthority = followClientAuthority(
    identity,
    (authority) => {
      clientCa = authority;
      use();
    },
    signal,
  );
  await Promise.all([keepPair, keepAuthority]);
}

/** Variables that every container has. */
function containerDefaults(server: string): Record<string, string> {
  const url = URL.parse(server);
  if (!url) {
    throw new KubeError('Config', `server: "${server}" is not a URL`, {
      hint: 'Give the URL of the API server, such as https://127.0.0.1:6443.',
    });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port || '443';
  return {
    PATH: programPath().join(delimiter),
    // As in an image without users. That of the user of this machine has a kubeconfig, which programs prefer to their service account.
    HOME: '/',
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port,
    KUBERNETES_SERVICE_PORT_HTTPS: port,
  };
}
