import { NamespaceName } from '@flotilla/api-types';
import { createKubeClient, defaultAccess, type KubeClient, KubeError } from '@flotilla/kube';
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
      const client = await connectHub(context, host, name);
      context.authorizeMetricsWith(client);
      let isListening = false;
      const check = () => {
        if (!isListening) throw new Error('it has no certificate yet, or its caches are not filled');
      };
      health.register({ name: 'grpc', kind: 'ready', check });
      try {
        await runGrpcServer({
          client,
          tls: {
            serving: servingSourceOf(config, `${namespace}/${options.servingSecret}`),
            clientCa: clientCaSourceOf(config, `${namespace}/${options.clientCaConfigmap}`),
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
        await client.close();
      }
    },
  });

/** The API server, as the account of the server if there is to be another one than that of the kubeconfig. */
async function connectHub(
  context: ProcessContext<typeof grpcServerOptions>,
  host: ProcessHost,
  name: string,
): Promise<KubeClient> {
  const { options, clock, log, kitMetrics } = context;
  const env = host.env;
  const own = connectKube(context, { name: 'hub', env, fieldManager: name });
  if (!options.serviceAccount) return own;
  const { kubeconfig, context: contextName } = options;
  const source = defaultAccess({
    clock,
    env,
    ...(kubeconfig && { kubeconfig }),
    ...(contextName && { context: contextName }),
  });
  const access = accountAccess({ client: own, access: await source.current(), account: options.serviceAccount, clock });
  source.close();
  const metrics = kitMetrics('grpc-server');
  const client = createKubeClient({ access, clock, log, metrics, env, fieldManager: name, userAgent: name });
  const close = async () => {
    await client.close();
    await own.close();
  };
  return { ...client, close, [Symbol.asyncDispose]: close };
}

/** Agents take a stream for lost after some intervals, and hundreds of streams cost little at this rate only. */
function heartbeatOf(intervalMs: number): number {
  if (intervalMs >= 10_000) return intervalMs;
  throw new KubeError('Config', `--broker-heartbeat-interval=${intervalMs / 1000}s is too short; the least is 10s`, {
    hint: 'Use --broker-heartbeat-disabled for no heartbeats.',
  });
}
