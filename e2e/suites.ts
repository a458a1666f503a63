import type { ServerKind } from './registration/servers.ts';

/** Suites that need the same to run; vitest knows each group as a project of this name. */
export interface SuiteGroup {
  readonly name: 'embedded' | 'kubernetes' | 'go-programs';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** The API servers that suites written for each kind of server run on. */
  readonly servers: readonly ServerKind[];
}

/** Folders whose subject is a real API server: no suite in them is for the embedded one alone. */
const onlyReal = '{api-types,control-plane,envtest,kube}/**';
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
export const suiteGroups: readonly SuiteGroup[] = [
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
