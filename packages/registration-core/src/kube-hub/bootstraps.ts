import { createHash } from 'node:crypto';
import { type AccessSource, type ClusterAccess, KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';
import type { OptionValues } from '@flotilla/process';
import type { AgentDriverContext, BootstrapSource } from '../contract/index.ts';
import { endpointOfAccess } from './hub-kubeconfig.ts';
import { openBootstrap } from './open-bootstrap.ts';
import type { kubeBootstrapOptions } from './options.ts';

/** The context of a driver that has the flags of `kubeBootstrapOptions`. */
export type KubeHubContext = Omit<AgentDriverContext<OptionValues<typeof kubeBootstrapOptions>>, 'secret'>;

/** Bootstrap access by kubeconfigs. */
export interface KubeBootstraps {
  readonly bootstraps: readonly [BootstrapSource, ...BootstrapSource[]];
  close(): void;
}

/** Opens the bootstrap kubeconfigs that the flags name. Messages are OCM's. */
export function kubeBootstraps({ options, gates, files, connect }: KubeHubContext): KubeBootstraps {
  const { MultipleHubs: isMultiple } = gates;
  const [preferred, ...others] = isMultiple ? options.bootstrapKubeconfigs : [options.bootstrapKubeconfig];
  if (!preferred) {
    const flag = isMultiple ? 'bootstrap-kubeconfigs' : 'bootstrap-kubeconfig';
    throw new KubeError('Config', `${flag} is required`, {
      hint: `Give --${flag} the kubeconfig with which this cluster asks its hub to accept it.`,
    });
  }
  if (isMultiple && others.length === 0) {
    throw new KubeError('Config', 'expect at least 2 bootstrap kubeconfigs', {
      hint: 'With the feature gate MultipleHubs give --bootstrap-kubeconfigs once for each hub.',
    });
  }
  const opened: AccessSource[] = [];
  const open = (path: string): BootstrapSource => {
    const access = files.kubeconfig(path);
    opened.push(access);
    return kubeBootstrap(access, connect);
  };
  return {
    bootstraps: [open(preferred), ...others.map(open)],
    close() {
      for (const access of opened) access.close();
    },
  };
}

function kubeBootstrap(access: AccessSource, connect: (access: AccessSource) => Transport): BootstrapSource {
  return {
    async current() {
      const now = await access.current();
      return { endpoint: endpointOfAccess(now), fingerprint: fingerprintOf(now), origin: now.origin };
    },
    changes: access.changes,
    open: () => openBootstrap(access, connect),
  };
}

/** Identifies bootstrap credentials. Those that a plugin issues again and again, which say when they end, count as the same. */
export function fingerprintOf({ server, authorization, clientCertificate, expiresAt }: ClusterAccess): string {
  const credentials = expiresAt === undefined ? [authorization, clientCertificate?.certificate] : [];
  return createHash('sha256')
    .update(JSON.stringify([server, ...credentials]))
    .digest('hex')
    .slice(0, 16);
}
