import { manifestWorkReplicaSets } from '@flotilla/api-types';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { requireHub } from '../hub/accept.ts';
import { withKind } from '../output/kubectl-name.ts';
import { objectName, printListing } from '../output/listing.ts';
import { replicaSetTable } from '../rollout/replica-set-rows.ts';

/** The flags of `get replicasets`. */
export interface GetReplicaSetsOptions {
  readonly namespace?: string;
  readonly output: string;
}

/** Prints the replica sets of a namespace or of all: those that are named, or all. */
export async function getReplicaSets(
  context: CliContext,
  names: readonly string[],
  options: GetReplicaSetsOptions & GlobalOptions,
): Promise<void> {
  const { namespace, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (namespace !== undefined) await requireNamespace(hub.client, namespace);
  const selection = namespace === undefined ? {} : { namespace };
  await printListing(context, {
    all: (await hub.client.resource(manifestWorkReplicaSets).list(selection)).items,
    names,
    output,
    what: 'ManifestWorkReplicaSet',
    where: namespace === undefined ? '' : ` in namespace ${namespace}`,
    command: 'get replicasets',
    nameOf: objectName,
    objectsOf: (replicaSet) => [withKind(manifestWorkReplicaSets, replicaSet)],
    table: (items, wide) => replicaSetTable(items, wide, context.clock.now()),
  });
}
