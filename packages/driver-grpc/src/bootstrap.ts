import { KubeconfigName } from '@flotilla/api-types';
import { accessOfGrpcConfig, type GrpcConfig, readGrpcConfig } from '@flotilla/cloudevents';
import { type AccessSource, KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import type { OptionValues } from '@flotilla/process';
import type { AgentDriverContext, BootstrapSource, HubEndpoint } from '@flotilla/registration-core/contract';
import { endpointOfAccess, fingerprintOf, openBootstrap } from '@flotilla/registration-core/kube-hub';
import { merge, NEVER } from 'rxjs';
import { followTexts } from './followed-texts.ts';
import type { agentOptions } from './options.ts';

/** The context of the driver. */
export type GrpcContext = AgentDriverContext<OptionValues<typeof agentOptions>>;

/** What the bootstrap configuration says beside where the hub is. */
export interface BootstrapSettings {
  readonly config: Pick<GrpcConfig, 'keepAliveConfig' | 'serverHealthinessTimeoutMs'>;
  /** Where the bootstrap kubeconfig leads, if there is one: for those who can reach the API server of the hub. */
  readonly kubeEndpoint?: HubEndpoint;
}

/** The bootstrap configuration of a cluster. */
export interface GrpcBootstrap {
  readonly source: BootstrapSource;
  /** As of the last reading. */
  settings(): BootstrapSettings;
  close(): void;
}

/** Reads `--grpc-bootstrap-config`, and the bootstrap kubeconfig if there is one, which OCM requires and which is not needed here. */
export function grpcBootstrap(context: GrpcContext, connect: (access: AccessSource) => Transport): GrpcBootstrap {
  const { options, gates, files, log } = context;
  if (gates.MultipleHubs) {
    throw new KubeError('Config', 'the feature gate MultipleHubs does not work with --registration-auth=grpc', {
      hint: 'Turn the gate off: the agent joins the hub of --grpc-bootstrap-config. To choose among several hubs, use --registration-auth=csr.',
    });
  }
  const path = options.grpcBootstrapConfig || options.grpcConfig;
  if (!path) {
    throw new KubeError('Config', 'config file should be set', {
      hint: 'Give --grpc-bootstrap-config the file with url, caData and token of the gRPC server of the hub.',
    });
  }
  const texts = followTexts(files);
  const kubeconfig = options.bootstrapKubeconfig ? files.kubeconfig(options.bootstrapKubeconfig) : undefined;
  let settings: BootstrapSettings = { config: {} };

  const changes = merge(texts.changes, kubeconfig?.changes ?? NEVER);
  const access: AccessSource = {
    current: async () => accessOfGrpcConfig(await read(path, texts), path),
    changes,
    errors: NEVER,
    invalidate() {},
    close() {},
  };

  return {
    settings: () => settings,
    source: {
      async current() {
        const [config, kubeEndpoint] = await Promise.all([read(path, texts), readKubeEndpoint(kubeconfig, log)]);
        settings = { config, ...(kubeEndpoint && { kubeEndpoint }) };
        const endpoint = {
          // What OCM compares, too: a cluster entry that is renamed says that the hub is another one.
          name: kubeEndpoint?.name ?? KubeconfigName.BootstrapCluster,
          server: config.url,
          ...(config.ca && { caData: Buffer.from(config.ca).toString('base64') }),
        };
        return { endpoint, fingerprint: fingerprintOf(accessOfGrpcConfig(config, path)), origin: path };
      },
      changes,
      open: () => openBootstrap(access, connect),
    },
    close() {
      texts.close();
      kubeconfig?.close();
    },
  };
}

async function read(path: string, texts: ReturnType<typeof followTexts>): Promise<GrpcConfig> {
  try {
    return await readGrpcConfig(path, texts.read);
  } catch (error) {
    const { message, hint } = KubeError.from(error);
    const text = `failed to load hub bootstrap registration config from file "${path}": ${message}`;
    throw new KubeError('Config', text, { cause: error, ...(hint && { hint }) });
  }
}

async function readKubeEndpoint(
  kubeconfig: AccessSource | undefined,
  log: GrpcContext['log'],
): Promise<HubEndpoint | undefined> {
  try {
    return kubeconfig && endpointOfAccess(await kubeconfig.current());
  } catch (error) {
    log.debug('there is no bootstrap kubeconfig, which only add-ons could use', { error });
    return undefined;
  }
}
