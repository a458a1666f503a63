/** From the bottom up: a package imports only from layers before its own. */
export const layers = ['types', 'kit', 'core', 'driver', 'app', 'test'] as const;
export type Layer = (typeof layers)[number];

/** One package in the table. */
export interface LayerRow {
  directory: string;
  layer: Layer;
  /** Directories of packages of the same layer that it may import. Others of its layer it may not. */
  peers?: readonly string[];
}

/**
 * The packages and their layers: the map of the repository. A package that is not here may not exist.
 * Core packages do not import one another: what two of them need is part of the kit, or goes over the API server.
 */
export const table: readonly LayerRow[] = [
  { directory: 'packages/api-types', layer: 'types' },
  { directory: 'packages/kube', layer: 'kit' },
  { directory: 'packages/envtest', layer: 'kit', peers: ['packages/kube'] },
  { directory: 'packages/control-plane', layer: 'kit', peers: ['packages/kube', 'packages/envtest'] },
  { directory: 'packages/registration-core', layer: 'core' },
  { directory: 'packages/work-agent', layer: 'core' },
  { directory: 'packages/work-manager', layer: 'core' },
  { directory: 'packages/placement', layer: 'core' },
  { directory: 'packages/addon-manager', layer: 'core' },
  { directory: 'packages/addon-sdk', layer: 'core' },
  { directory: 'packages/cloudevents', layer: 'core' },
  { directory: 'packages/operator', layer: 'core' },
  { directory: 'packages/driver-csr', layer: 'driver' },
  { directory: 'packages/driver-grpc', layer: 'driver' },
  { directory: 'packages/driver-awsirsa', layer: 'driver' },
  { directory: 'packages/driver-token', layer: 'driver' },
  { directory: 'apps/hub', layer: 'app' },
  { directory: 'apps/agent', layer: 'app' },
  { directory: 'apps/singleton', layer: 'app' },
  { directory: 'apps/operator', layer: 'app' },
  { directory: 'apps/cli', layer: 'app' },
  { directory: 'e2e', layer: 'test' },
  { directory: 'bench', layer: 'test', peers: ['e2e'] },
];

/** The files outside a package that its own files may import by a relative path: shared configuration of tools. */
export const sharedFiles: readonly string[] = ['vitest.shared.ts'];

/** Examples and fixtures are no part of a package's exports; the whole-system tests run them, to keep them true. */
export const exampleFile = /^packages\/[^/]+\/(examples|fixtures)\//;

/** An import of one package by another. */
export interface PackageUse {
  from: LayerRow;
  to: LayerRow;
  /** What comes after the name: `contract` in `@flotilla/registration-core/contract`. Undefined when only declared. */
  subPath?: string;
  /** In a spec, or as a development dependency. */
  inSpec: boolean;
}

/** The rule that an import breaks, if it breaks one. */
export function brokenRule({ from, to, subPath, inSpec }: PackageUse): string | undefined {
  if (from.directory === to.directory) return undefined;
  if (from.layer === to.layer) {
    if (from.peers?.includes(to.directory)) return undefined;
    return from.layer === 'driver'
      ? 'a driver never imports another driver'
      : `packages of the layer "${from.layer}" do not import one another`;
  }
  if (layers.indexOf(to.layer) > layers.indexOf(from.layer)) {
    return `the layer "${from.layer}" imports only from ${before(from.layer)}, and "${to.layer}" comes after it`;
  }
  if (from.layer === 'driver' && to.layer === 'core') return brokenDriverRule(to, subPath, inSpec);
  return undefined;
}

const driverRule =
  'a driver imports only registration-core/contract, api-types and the kit (its specs also registration-core/testing)';

function brokenDriverRule(to: LayerRow, subPath: string | undefined, inSpec: boolean): string | undefined {
  if (to.directory !== 'packages/registration-core') return driverRule;
  const allowed = subPath === undefined || subPath === 'contract' || (inSpec && subPath === 'testing');
  return allowed ? undefined : driverRule;
}

function before(layer: Layer): string {
  const names = layers.slice(0, layers.indexOf(layer));
  return names.length === 0 ? 'no other layer' : `the layers before it (${names.join(', ')})`;
}
