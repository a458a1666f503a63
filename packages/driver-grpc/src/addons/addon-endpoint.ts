import { KubeconfigName } from '@flotilla/api-types';
import { type Clock, KubeError, type Logger } from '@flotilla/kube';
import { issueCertificate, type KeyPair } from '@flotilla/kube/pki';
import type { DriverSecret, HubEndpoint } from '@flotilla/registration-core/contract';
import { type EndpointAddress, urlHost } from './endpoint-address.ts';
import { type EndpointServer, type ForwardToHub, startEndpointServer } from './endpoint-server.ts';
import { readEndpointState, writePort } from './endpoint-state.ts';

/** What the endpoint is made with. */
export interface AddonEndpointOptions {
  readonly clusterName: string;
  readonly address: EndpointAddress;
  readonly secret: DriverSecret;
  readonly forward: ForwardToHub;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The endpoint while it listens. */
export interface ListeningEndpoint {
  /** What the kubeconfigs of add-ons lead to. */
  readonly endpoint: HubEndpoint;
  /** PEM. */
  readonly authority: string;
  /** A certificate by which the endpoint knows an add-on. */
  issue(addOnName: string, ttlMs: number): Promise<KeyPair>;
}

/** Where add-ons of a cluster reach the API of the hub: in the agent, whose connection their requests take. */
export interface AddonEndpoint {
  /** Listens from the first call on. Throws `Config` if it cannot. */
  listen(): Promise<ListeningEndpoint>;
  /** Serves an add-on until the signal aborts, which ends its connections too. */
  register(addOnName: string, signal: AbortSignal): void;
  /** Asks the hub for something that every user may read. Throws if requests of the add-on do not arrive. */
  probe(addOnName: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const servingLifeMs = 90 * 86_400_000;

/** The endpoint of one agent, for all its add-ons and over all its connections to the hub. */
export function createAddonEndpoint(options: AddonEndpointOptions): AddonEndpoint {
  const { clusterName, forward, log } = options;
  /** How many registrations an add-on has: another may begin before the one that it replaces ends. */
  const registered = new Map<string, number>();
  let starting: Promise<StartedEndpoint> | undefined;
  const start = (): Promise<StartedEndpoint> => {
    starting ??= startEndpoint(options, (name) => registered.has(name)).catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };
  const started = async () => starting?.catch(() => undefined);
  return {
    async listen() {
      return (await start()).listening;
    },
    register(addOnName, signal) {
      registered.set(addOnName, (registered.get(addOnName) ?? 0) + 1);
      const end = () => {
        const left = (registered.get(addOnName) ?? 1) - 1;
        if (left > 0) registered.set(addOnName, left);
        else registered.delete(addOnName);
        if (left === 0) void started().then((endpoint) => endpoint?.server.disconnect(addOnName));
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
    async probe(addOnName, signal) {
      const head = {
        clusterName,
        addOnName,
        method: 'GET',
        path: '/version',
        headers: [['user-agent', 'flotilla']],
      } as const;
      const { status, body } = await forward(head, { signal });
      for await (const _ of body) break;
      log.debug('the hub answers requests of the add-on', { addon: addOnName, status });
    },
    async close() {
      const endpoint = await started();
      endpoint?.cancelRenewal();
      await endpoint?.server.close();
    },
  };
}

interface StartedEndpoint {
  readonly listening: ListeningEndpoint;
  readonly server: EndpointServer;
  cancelRenewal(): void;
}

async function startEndpoint(
  { clusterName, address, secret, forward, clock, log }: AddonEndpointOptions,
  isRegistered: (addOnName: string) => boolean,
): Promise<StartedEndpoint> {
  const { authority, port: lastPort } = await readEndpointState(secret, clock);
  const { host, names, advertised } = address;
  const issueServing = () =>
    issueCertificate(authority, { usage: 'server', name: 'flotilla-agent', hosts: names, ttlMs: servingLifeMs }, clock);
  const serving = await issueServing();
  const clientCa = authority.certificate;
  const common = { clusterName, host, serving, clientCa, isRegistered, forward, clock, log };
  const server = await listenAt(address.port || lastPort, address.port === 0, (port) =>
    startEndpointServer({ ...common, port }),
  );
  let cancelRenewal = () => {};
  const renewLater = () => {
    cancelRenewal = clock.schedule(servingLifeMs / 2, () => {
      renewLater();
      issueServing().then(server.useCertificate, (error: unknown) => {
        log.error('the certificate of the endpoint for add-ons is not renewed', { error });
      });
    });
  };
  renewLater();
  // Add-ons that run go on after a restart of the agent, because they find it where it was.
  if (server.port !== lastPort) await writePort(secret, server.port);
  const url = `https://${advertised ?? `${urlHost(host)}:${server.port}`}`;
  log.info('add-ons reach the hub through this agent', { url });
  const caData = Buffer.from(authority.certificate).toString('base64');
  return {
    listening: {
      endpoint: { name: KubeconfigName.BootstrapCluster, server: url, caData },
      authority: authority.certificate,
      issue: (name, ttlMs) => issueCertificate(authority, { usage: 'client', name, ttlMs }, clock),
    },
    server,
    cancelRenewal: () => cancelRenewal(),
  };
}

/** Listens at a port, or at another one if it is taken and was not asked for. */
async function listenAt(
  port: number,
  mayBeAnother: boolean,
  open: (port: number) => Promise<EndpointServer>,
): Promise<EndpointServer> {
  try {
    return await open(port);
  } catch (cause) {
    if (mayBeAnother && port !== 0 && (cause as NodeJS.ErrnoException).code === 'EADDRINUSE') return open(0);
    throw new KubeError('Config', `cannot listen for add-ons: ${KubeError.from(cause).message}`, {
      cause,
      hint: 'Give --addon-endpoint-listen another address.',
    });
  }
}
