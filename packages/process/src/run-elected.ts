import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KubeClient, KubeError, runAsLeader } from '@flotilla/kube';
import { leases } from '@flotilla/kube/kinds';
import type { leaderElectionOptions } from './option-groups.ts';
import type { OptionValues } from './options/definition.ts';
import type { ProcessContext } from './run-process.ts';

/** Where Kubernetes mounts it, or a node that cannot mount says that it is: as in `inClusterAccess`. */
const namespaceFile = (): string =>
  join(
    process.env.KUBERNETES_SERVICE_ACCOUNT_DIRECTORY || '/var/run/secrets/kubernetes.io/serviceaccount',
    'namespace',
  );

/** What `main` is given by `runProcess`, as far as it is needed here. */
export type ElectedProcess = Pick<
  ProcessContext<typeof leaderElectionOptions>,
  'signal' | 'clock' | 'log' | 'kitMetrics'
> & {
  options: OptionValues<typeof leaderElectionOptions>;
};

/** What runs while this process leads. */
export interface ElectedWork {
  /** Of the cluster whose Lease decides. */
  client: Pick<KubeClient, 'resource'>;
  /** The Lease, `namespace/name`; `componentNamespace` finds the namespace. */
  lease: string;
  /** Its signal aborts when the process shall end and when leadership was lost. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs work while this process leads, or at once with `--disable-leader-election`. Resolves when the work has ended, also after
 * leadership was lost: the process then ends, and whoever started it starts it anew.
 */
export async function runElected(context: ElectedProcess, work: ElectedWork): Promise<void> {
  const { options, signal, clock, log, kitMetrics } = context;
  if (options.disableLeaderElection) return work.run(signal);
  await runAsLeader({
    leases: work.client.resource(leases),
    key: work.lease,
    leaseDurationMs: options.leaderElectionLeaseDuration,
    renewDeadlineMs: options.leaderElectionRenewDeadline,
    retryPeriodMs: options.leaderElectionRetryPeriod,
    onStartedLeading: (leading) => work.run(leading),
    signal,
    clock,
    log,
    metrics: kitMetrics('leader-election'),
  });
}

/** The namespace that `--namespace` names or, in a pod, that of its service account, or else `outsidePod`. */
export async function componentNamespace(
  options: Pick<OptionValues<typeof leaderElectionOptions>, 'namespace'>,
  { file = namespaceFile(), outsidePod }: { readonly file?: string; readonly outsidePod?: string } = {},
): Promise<string> {
  if (options.namespace) return options.namespace;
  try {
    const namespace = (await readFile(file, 'utf8')).trim();
    if (namespace !== '') return namespace;
  } catch (cause) {
    if (outsidePod === undefined) throw noNamespace(cause);
  }
  if (outsidePod === undefined) throw noNamespace();
  return outsidePod;
}

const noNamespace = (cause?: unknown): KubeError =>
  new KubeError(
    'Config',
    '--namespace is missing, and this process does not run in a pod, whose namespace would be the default',
    {
      cause,
      hint: 'Give the namespace of this component, for example --namespace=my-controller.',
    },
  );
