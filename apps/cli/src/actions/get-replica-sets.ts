import { manifestWorkReplicaSets } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';
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
  const all = (await hub.client.resource(manifestWorkReplicaSets).list(selection)).items;
  const items = names.length === 0 ? all : all.filter(({ metadata }) => names.includes(metadata?.name ?? ''));
  if (isMachineFormat(output)) context.out.write(formatObjects(manifestWorkReplicaSets, items, output));
  else if (output === 'name') context.out.write(items.map((each) => `${keyOf(each)}\n`).join(''));
  else if (items.length > 0) context.out.write(replicaSetTable(items, output === 'wide', context.clock.now()));
  else if (names.length === 0) context.err.write(noResources);
  const missing = names.filter((name) => !all.some(({ metadata }) => metadata?.name === name));
  if (missing.length === 0) return;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  throw new CliError(
    'failed',
    `there is no ManifestWorkReplicaSet ${missing.join(', ')}${where}`,
    `See all: \`${context.program} get replicasets\`.`,
  );
}
