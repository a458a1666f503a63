import type { Clock } from '@flotilla/kube';
import type { PathHandler } from '../contracts/handlers.ts';
import type { Registry } from '../contracts/resource-info.ts';
import { discoveryPaths } from './discovery-paths.ts';
import { type HealthChecks, healthEndpoints, healthPaths } from './health.ts';
import { openApiPaths } from './open-api-paths.ts';
import { rootIndex } from './root-index.ts';
import { versionPath } from './version.ts';

export interface DiscoveryHandlerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** `host:port` for clients; read at each request, since the port is known only when the server listens. */
  readonly serverAddress: () => string;
  /** Operating system and processor as Kubernetes writes them: `linux/amd64`. */
  readonly platform: string;
  readonly health: HealthChecks;
}

/** The paths that are not resources, except the issuer's keys, which `authn/` serves. */
export function discoveryHandlers(options: DiscoveryHandlerOptions): PathHandler[] {
  const { registry, clock, serverAddress, platform } = options;
  const endpoints = healthEndpoints(options.health);
  return [
    discoveryPaths({ registry, serverAddress }),
    openApiPaths({ registry, clock }),
    versionPath(platform),
    healthPaths(endpoints),
    rootIndex(registry, endpoints),
  ];
}
