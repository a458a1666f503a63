import type { Clock } from '@flotilla/kube';
import type { Registry } from '../schema/resource-info.ts';
import type { PathHandler } from '../server/handler.ts';
import { discoveryPaths } from './discovery-paths.ts';
import { type HealthChecks, healthEndpoints, healthPaths } from './health.ts';
import { openApiPaths } from './open-api-paths.ts';
import { rootIndex } from './root-index.ts';
import { versionPath } from './version.ts';

export interface DiscoveryHandlerOptions {
  readonly registry: Registry;
  readonly clock: Clock;
  /** `host:port` that clients are told to use; asked at each request, for the port is known only when the server listens. */
  readonly serverAddress: () => string;
  /** Operating system and processor as Kubernetes writes them: `linux/amd64`. */
  readonly platform: string;
  readonly health: HealthChecks;
}

/** Everything that is served and is no resource, but for the issuer's keys, which `authn/` knows. */
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
