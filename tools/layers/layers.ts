/** From the bottom up: a package imports only from layers before its own. */
export const layers = ['rules', 'schema', 'types', 'kit', 'core', 'driver', 'composition', 'app', 'test'] as const;
export type Layer = (typeof layers)[number];

/** The prefix of the names of this repository's packages. */
export const scope = '@flotilla/';

/** One package in the table. */
export interface LayerRow {
  directory: string;
  layer: Layer;
  /** Directories of packages of the same layer that it may import. No others of its layer. */
  peers?: readonly string[];
  /** Knows nothing of Open Cluster Management, so it does not import its kinds either. */
  withoutOcm?: boolean;
}

/**
 * The packages and their layers: the map of the repository. A package that is not here must not exist.
 * Core packages do not import one another: what two of them need is part of the kit, or goes over the API server. `install` imports
 * those that say which rights and admission policies they need.
 */
export const table: readonly LayerRow[] = [
  { directory: 'packages/rules', layer: 'rules' },
  { directory: 'packages/schema', layer: 'schema' },
  { directory: 'packages/api-types', layer: 'types' },
  { directory: 'packages/kube', layer: 'kit', withoutOcm: true },
  { directory: 'packages/process', layer: 'kit', peers: ['packages/kube'], withoutOcm: true },
  // A protocol, as HTTP is one of kube: the gRPC server, which is of the core, and the gRPC driver both speak it.
  { directory: 'packages/cloudevents', layer: 'kit', peers: ['packages/kube'] },
  { directory: 'packages/envtest', layer: 'kit', peers: ['packages/kube'], withoutOcm: true },
  {
    directory: 'packages/process-node',
    layer: 'kit',
    peers: ['packages/kube', 'packages/control-plane'],
    withoutOcm: true,
  },
  { directory: 'packages/control-plane', layer: 'kit', peers: ['packages/kube', 'packages/process'] },
  { directory: 'packages/registration-core', layer: 'core' },
  { directory: 'packages/grpc-server', layer: 'core' },
  { directory: 'packages/cluster-proxy', layer: 'core' },
  { directory: 'packages/work-agent', layer: 'core' },
  // Rollouts are pure functions over decisions, `@flotilla/placement/rollout`.
  { directory: 'packages/work-manager', layer: 'core', peers: ['packages/placement'] },
  { directory: 'packages/placement', layer: 'core' },
  // Template add-ons are add-ons of the SDK, and rollouts are those of placements.
  { directory: 'packages/addon-manager', layer: 'core', peers: ['packages/addon-sdk', 'packages/placement'] },
  { directory: 'packages/addon-sdk', layer: 'core' },
  {
    directory: 'packages/install',
    layer: 'core',
    peers: [
      'packages/addon-manager',
      'packages/cluster-proxy',
      'packages/placement',
      'packages/registration-core',
      'packages/work-agent',
      'packages/work-manager',
    ],
  },
  { directory: 'packages/operator', layer: 'core', peers: ['packages/install'] },
  { directory: 'packages/driver-csr', layer: 'driver' },
  { directory: 'packages/driver-grpc', layer: 'driver' },
  { directory: 'packages/driver-awsirsa', layer: 'driver' },
  { directory: 'packages/driver-token', layer: 'driver' },
  // The parts of an agent, for many clusters at once. The program of a hub runs it as one of its commands.
  { directory: 'packages/push-agents', layer: 'composition' },
  { directory: 'packages/hub-runtime', layer: 'composition', peers: ['packages/push-agents'] },
  { directory: 'packages/agent-runtime', layer: 'composition' },
  // As a program, it lists its drivers: a test wants a fleet, not a choice.
  { directory: 'packages/fleet', layer: 'app' },
  { directory: 'packages/create-flotilla-addon', layer: 'app', peers: ['packages/fleet'] },
  { directory: 'apps/hub', layer: 'app' },
  { directory: 'apps/agent', layer: 'app' },
  { directory: 'apps/singleton', layer: 'app' },
  { directory: 'apps/operator', layer: 'app' },
  { directory: 'apps/operator', layer: 'app' },
  { directory: 'apps/cli', layer: 'app' },
  { directory: 'examples/addons/netprobe', layer: 'test' },
  { directory: 'examples/addons/service-account-tokens', layer: 'test' },
  { directory: 'e2e', layer: 'test' },
  { directory: 'bench', layer: 'test', peers: ['e2e'] },
];

/** The files outside a package that its own files may import by a relative path: shared configuration of tools, the seed of a night, and how results are read. */
export const sharedFiles: readonly string[] = [
  'vitest.shared.ts',
  'tools/test-results/count-tests.ts',
  'tools/properties/seed.ts',
];

/** Examples and fixtures are not part of a package's exports; the whole-system tests run them, to keep them true. */
export const exampleFile = /^packages\/[^/]+\/(examples|fixtures)\//;

/** An import of one package by another. */
export interface PackageUse {
  from: LayerRow;
  to: LayerRow;
  /** What comes after the name: `contract` in `@flotilla/registration-core/contract`. Undefined when only declared. */
  subPath?: string;
  /** In a spec or an example, or as a development dependency. */
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
  if (from.withoutOcm && to.layer === 'types') return 'this package knows nothing of Open Cluster Management';
  if (from.layer === 'driver' && to.layer === 'core') return brokenDriverRule(to, subPath, inSpec);
  if (from.layer === 'composition' && to.layer === 'driver' && !inSpec) return compositionRule;
  return undefined;
}

const compositionRule = 'a composition gets its drivers as a list and imports none, but in its specs and examples';

/** What the core offers to drivers. */
const driverSubPaths: readonly string[] = ['contract', 'certificates', 'kube-hub'];

const driverRule =
  'a driver imports only registration-core/contract, /certificates and /kube-hub, schema, api-types and the kit (its specs also registration-core/testing)';

function brokenDriverRule(to: LayerRow, subPath: string | undefined, inSpec: boolean): string | undefined {
  if (to.directory !== 'packages/registration-core') return driverRule;
  const allowed = subPath === undefined || driverSubPaths.includes(subPath) || (inSpec && subPath === 'testing');
  return allowed ? undefined : driverRule;
}

function before(layer: Layer): string {
  const names = layers.slice(0, layers.indexOf(layer));
  return names.length === 0 ? 'no other layer' : `the layers before it (${names.join(', ')})`;
}
