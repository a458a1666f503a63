import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { NamespaceName } from '@flotilla/api-types';
import { publishExternally, runClusterProxy } from '@flotilla/cluster-proxy/hub';
import { componentNamespace, connectKube, type ProcessHost, runProcess, secureContextOf } from '@flotilla/process';
import { certificateFiles } from './cluster-proxy-certificate.ts';
import { clusterProxyOptions } from './cluster-proxy-options.ts';
import { directMembers } from './direct-members.ts';
import type { HubProgram } from './hub-program.ts';

/** Serves the API by which users reach clusters through the hub. Every replica does, without a leader. */
export const runClusterProxyProgram = (
  host: ProcessHost,
  { name, version }: Omit<HubProgram, 'drivers'>,
): Promise<void> =>
  runProcess({
    name: `${name} cluster-proxy`,
    prefix: 'flotilla',
    version,
    description: 'Serves the APIs of clusters to users of the hub, over the connections that the agents have opened.',
    options: clusterProxyOptions,
    host,
    async main(context) {
      const { options, clock, log, health, signal } = context;
      const namespace = await componentNamespace(options, { outsidePod: NamespaceName.Hub });
      const client = connectKube(context, { name: 'hub', env: host.env, fieldManager: name });
      context.authorizeMetricsWith(client);
      let isListening = false;
      const check = () => {
        if (!isListening) throw new Error('it has no certificate yet, or its caches are not filled');
      };
      health.register({ name: 'cluster-proxy', kind: 'ready', check });
      const {
        bindAddress,
        advertiseAddress,
        certdir,
        tlsMinVersion: minVersion,
        tlsCipherSuites: cipherSuites,
      } = options;
      const { cert: _, key: __, ...tls } = secureContextOf({ cert: '', key: '' }, { minVersion, cipherSuites });
      const caFile = options.caFile ?? join(certdir ?? '', 'ca.crt');
      const pushed = directMembers({ client, clock, log, env: host.env });
      try {
        await runClusterProxy({
          direct: (cluster) => pushed.find(cluster),
          client,
          host: bindAddress,
          port: options.port,
          identity: host.env.POD_NAME ?? `${hostname()}-${randomBytes(4).toString('hex')}`,
          advertisedHost: advertiseAddress || host.env.POD_IP || reachable(bindAddress),
          namespace,
          tls,
          ...(certdir && { serving: certificateFiles({ certdir, caFile, clock, log }) }),
          certificateLifeMs: options.servingLifetime,
          limits: { perCluster: options.maxRequestsPerCluster, perUser: options.maxRequestsPerUser },
          onListening: async (port) => {
            isListening = true;
            if (options.externalName) await publishExternally(client, { namespace, host: options.externalName, port });
          },
          signal,
          clock,
          log,
          metrics: context.kitMetrics('hub'),
        });
      } finally {
        await pushed[Symbol.asyncDispose]();
        await client.close();
      }
    },
  });

const reachable = (address: string): string => (address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address);
