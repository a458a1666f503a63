import type { ServerKind } from './registration/servers.ts';

/**
 * When suites run: `capabilities` in `npm test`; `rest` after it in `.ci/run`, so that both together run each suite but the `storms` on at
 * least one control plane; `nightly` in `npm run test:nightly`, each suite on each plane, and the storms.
 */
export type Stage = (typeof stages)[number];

const stages = ['capabilities', 'rest', 'nightly'] as const;

/** The stage of this name. */
export function stageOf(name: string | undefined): Stage {
  const stage = stages.find((each) => each === name);
  if (!stage) throw new Error(`there is no stage "${name ?? ''}": use one of ${stages.join(', ')}`);
  return stage;
}

/** Suites that need the same to run; vitest knows each group as a project of this name. */
export interface SuiteGroup {
  readonly name: 'embedded' | 'kubernetes' | 'go-programs';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The API servers that suites written for each kind of server run on. */
  readonly servers: readonly ServerKind[];
}

/** One suite or two for each thing that a user can do, on the embedded control plane. */
export const capabilities = [
  'registration/{acceptance,join}.kube.ts',
  'grpc/join.kube.ts',
  'aws/join.embedded.kube.ts',
  'work/{join,replica-sets,strategies}.kube.ts',
  'placement/debug.kube.ts',
  'addons/{install,rollout,story}.kube.ts',
  'operator/{cluster-manager,klusterlet}.kube.ts',
  'push/side-by-side.kube.ts',
  'tokens/uses.kube.ts',
  'cluster-proxy/reach.kube.ts',
  'cli/{lifecycle,up}.kube.ts',
];

/** Suites about what an API server does: admission, watches, conflicts, CSRs, RBAC, garbage collection and server-side apply. */
export const contracts = [
  'registration/{acceptance,forged,interruptions,isolation,join,rotation,webhooks}.kube.ts',
  'grpc/{faults,join}.kube.ts',
  'work/{events,outage,removal,replica-sets,strategies}.kube.ts',
  'addons/{install,story}.kube.ts',
  'operator/{cluster-manager,klusterlet}.kube.ts',
  'push/isolation.kube.ts',
  'tokens/isolation.kube.ts',
  'cluster-proxy/isolation.kube.ts',
  'cli/{clean,lifecycle}.kube.ts',
];

/** Suites whose subject is many clusters, many rounds or load. They run at night only. */
export const storms = [
  'addons/scale.kube.ts',
  'operator/upgrade-under-load.real.kube.ts',
  'registration/crowd.kube.ts',
];

/** Folders whose subject is a real API server: no suite in them is for the embedded one alone. */
const onlyReal = '{api-types,control-plane,envtest,kube}/**/*.kube.ts';
/** Suites that run programs of others: Open Cluster Management, Helm, a client with client-go, services like those of AWS, tinyproxy. */
const goPrograms = [
  'interop/**/*.kube.ts',
  'aws/**/!(*.embedded).kube.ts',
  'charts/**/*.kube.ts',
  'control-plane/client-go.kube.ts',
  'operator/join-by-proxy.kube.ts',
];

/**
 * A suite is a file `*.kube.ts` and runs on both kinds of server. `*.embedded.kube.ts` and `*.real.kube.ts` run on one,
 * and so do the suites in folders about a real API server.
 */
const everySuite: readonly SuiteGroup[] = [
  {
    name: 'embedded',
    include: ['**/*.kube.ts'],
    exclude: ['**/*.real.kube.ts', onlyReal, ...goPrograms],
    servers: ['embedded'],
  },
  {
    name: 'kubernetes',
    include: ['**/*.kube.ts'],
    exclude: ['**/*.embedded.kube.ts', ...goPrograms],
    servers: ['kube-apiserver'],
  },
  { name: 'go-programs', include: goPrograms, exclude: [], servers: ['kube-apiserver'] },
];

/** The groups of a stage. Without one, as for a suite that is run by hand, all suites. */
export function suiteGroups(stage: Stage = 'nightly'): readonly SuiteGroup[] {
  const [embedded, kubernetes, others] = everySuite as readonly [SuiteGroup, SuiteGroup, SuiteGroup];
  if (stage === 'nightly') return everySuite;
  if (stage === 'capabilities') return [{ ...embedded, include: capabilities }];
  return [
    { ...embedded, exclude: [...embedded.exclude, ...capabilities, ...storms] },
    {
      ...kubernetes,
      include: ['**/*.real.kube.ts', onlyReal, ...contracts],
      exclude: [...kubernetes.exclude, ...storms],
    },
    others,
  ];
}
