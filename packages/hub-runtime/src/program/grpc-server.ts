import { NamespaceName } from '@flotilla/api-types';
import { createKubeClient, defaultAccess, type KubeClient, KubeError } from '@flotilla/kube';
import { createForwarder, type Forwarder } from '@flotilla/kube/transport';
import { componentNamespace, connectKube, type ProcessContext, type ProcessHost, runProcess } from '@flotilla/process';
import { accountAccess } from '../grpc/account-access.ts';
import { runGrpcServer } from '../grpc/run-grpc-server.ts';
import { clientCaSourceOf, limitsOf, readServerConfig, servingSourceOf, tlsSettingsOf } from './grpc-server-config.ts';
import { grpcServerObserver } from './grpc-server-metrics.ts';
import { grpcServerOptions } from './grpc-server-options.ts';
import type { HubProgram } from './hub-program.ts';

/** Serves the hub to clusters that cannot reach its API server. Every replica does, without a leader. */
export const runGrpcServerProgram = (
  host: ProcessHost,
  { name, version }: Omit<HubProgram, 'drivers'>,
): Promise<void> =>
  runProcess({
    name: `${name} grpc-server`,
    prefix: 'flotilla',
    version,
    description:
      'Serves the hub by gRPC to clusters that cannot reach its API server: registration, heartbeats, works.',
    options: grpcServerOptions,
    host,
    async main(context) {
      const { options, clock, log, health, signal } = context;
      const config = readServerConfig(options.serverConfig, log);
      const heartbeatMs = options.brokerHeartbeatDisabled ? null : heartbeatOf(options.brokerHeartbeatInterval);
      const namespace = await componentNamespace(options, { outsidePod: NamespaceName.Hub });
      const { client, forwarder, close } = await connectHub(context, host, name);
      context.authorizeMetricsWith(client);
      let isListening = false;
      const check = () => {
        if (!isListening) throw new Error('it has no certificate yet, or its caches are not filled');
      };
      health.register({ name: 'grpc', kind: 'ready', check });
      try {
        await runGrpcServer({
          client,
          forwarder,
          tls: {
            serving: servingSourceOf(config, `${namespace}/${options.servingSecret}`, options.certdir),
            clientCa: clientCaSourceOf(config, `${namespace}/${options.clientCaConfigmap}`, options.clientCaFile),
            settings: tlsSettingsOf(config, options),
          },
          host: options.bindAddress,
          port: options.grpcServerBindport ?? config.serverBindPort,
          heartbeatMs,
          limits: limitsOf(config),
          observer: grpcServerObserver(context.metrics),
          onListening: () => {
            isListening = true;
          },
          signal,
          clock,
          log,
          metrics: context.kitMetrics('hub'),
        });
      } finally {
        await close();
      }
    },
  });

/** The API server: for the server itself, and for requests of add-ons. */
interface ConnectedHub {
  readonly client: KubeClient;
  readonly forwarder: Forwarder;
  close(): Promise<void>;
}

/** The API server, as the account of the server if there is to be another one than that of the kubeconfig. */
async function connectHub(
  context: ProcessContext<typeof grpcServerOptions>,
  host: ProcessHost,
  name: string,
): Promise<ConnectedHub> {
  const { options, clock, log, kitMetrics } = context;
  const env = host.env;
  const { kubeconfig, context: contextName, serviceAccount: account } = options;
  const source = defaultAccess({
    clock,
    env,
    ...(kubeconfig && { kubeconfig }),
    ...(contextName && { context: contextName }),
  });
  const common = { clock, log, env, userAgent: name };
  const own = connectKube(context, { name: 'hub', env, fieldManager: name });
  const access = account ? accountAccess({ client: own, access: await source.current(), account, clock }) : source;
  const client = account
    ? createKubeClient({ ...common, access, metrics: kitMetrics('grpc-server'), fieldManager: name })
    : own;
  const forwarder = createForwarder({ ...common, access, metrics: kitMetrics('add-ons') });
  return {
    client,
    forwarder,
    async close() {
      await forwarder.close();
      if (client !== own) await client.close();
      await own.close();
      source.close();
    },
  };
}

/** Agents take a stream for lost after some intervals, and hundreds of streams cost little at this rate only. */
function heartbeatOf(intervalMs: number): number {
  if (intervalMs >= 10_000) return intervalMs;
  throw new KubeError('Config', `--broker-heartbeat-interval=${intervalMs / 1000}s is too short; the least is 10s`, {
    hint: 'Use --broker-heartbeat-disabled for no heartbeats.',
  });
}
