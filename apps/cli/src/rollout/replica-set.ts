import { Label, type ManifestWorkReplicaSet, manifestWorkReplicaSets } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { isLabelValue } from '@flotilla/schema';
import { type ControllerRevision, controllerRevisions, revisionsOf } from '@flotilla/work-manager';
import type { GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';

/** The flags of all `rollout` commands. */
export interface RolloutOptions extends GlobalOptions {
  readonly namespace: string;
}

const kinds = [
  'mwrs',
  'manifestworkreplicaset',
  'manifestworkreplicasets',
  'manifestworkreplicasets.work.open-cluster-management.io',
];

/** The name in `mwrs NAME` or `mwrs/NAME`, the two forms of kubectl. */
export function nameOf(resource: string, name: string | undefined): string {
  const [kind = '', inKind, ...rest] = resource.split('/');
  const found = inKind ?? name;
  const usage = (message: string) =>
    new CliError('usage', message, 'For example: `rollout status mwrs web`, or `rollout status mwrs/web`.');
  if (!kinds.includes(kind)) throw usage(`"${kind}" cannot be rolled out: only mwrs can`);
  if (!found || rest.length > 0 || (inKind !== undefined && name !== undefined)) {
    throw usage('the name of one ManifestWorkReplicaSet must be given');
  }
  return found;
}

/** The replica set of a name. */
export async function findReplicaSet(
  client: KubeClient,
  name: string,
  { namespace }: RolloutOptions,
): Promise<ManifestWorkReplicaSet> {
  const found = await client.resource(manifestWorkReplicaSets).find(`${namespace}/${name}`);
  const owner = `${namespace}.${name}`;
  if (found && isLabelValue(owner)) return found;
  if (found) {
    throw new CliError(
      'failed',
      `ManifestWorkReplicaSet ${name} has no works: they carry "${owner}" in a label, which takes 63 characters, and it has ${owner.length}`,
      'Create it again with a shorter name, or in a namespace with a shorter name.',
    );
  }
  throw new CliError(
    'failed',
    `there is no ManifestWorkReplicaSet ${name} in namespace ${namespace}`,
    'See all: `flotilla get replicasets`. Name its namespace with -n.',
  );
}

/** The revisions of a replica set, the newest first. Without any, its hub keeps none. */
export async function findRevisions(
  client: KubeClient,
  replicaSet: ManifestWorkReplicaSet,
): Promise<ControllerRevision[]> {
  const { namespace, name } = replicaSet.metadata ?? {};
  const labelSelector = `${Label.ManifestWorkReplicaSet}=${namespace}.${name}`;
  const { items } = await client.resource(controllerRevisions).list({ namespace, labelSelector });
  const revisions = revisionsOf(replicaSet, items);
  if (revisions.length > 0) return revisions;
  throw new CliError(
    'precondition',
    `the hub keeps no revisions of ManifestWorkReplicaSet ${name}`,
    'Start its controllers with --feature-gates=ManifestWorkReplicaSet=true,ManifestWorkReplicaSetRevisions=true.',
  );
}
