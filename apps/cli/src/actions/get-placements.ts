import { placementDecisions, placements } from '@flotilla/api-types';
import { keyOf } from '@flotilla/kube';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { formatObjects, isMachineFormat } from '../output/format.ts';
import { noResources } from '../output/table.ts';
import { placementTable } from '../placement/placement-rows.ts';

/** The flags of `get placements`. */
export interface GetPlacementsOptions {
  readonly namespace?: string;
  readonly output: string;
}

/** Prints the placements of a namespace or of all: those that are named, or all. */
export async function getPlacements(
  context: CliContext,
  names: readonly string[],
  options: GetPlacementsOptions & GlobalOptions,
): Promise<void> {
  const { namespace, output } = options;
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  if (namespace !== undefined) await requireNamespace(hub.client, namespace);
  const selection = namespace === undefined ? {} : { namespace };
  const all = (await hub.client.resource(placements).list(selection)).items;
  const items = names.length === 0 ? all : all.filter(({ metadata }) => names.includes(metadata?.name ?? ''));
  if (isMachineFormat(output)) context.out.write(formatObjects(placements, items, output));
  else if (output === 'name') context.out.write(items.map((placement) => `${keyOf(placement)}\n`).join(''));
  else if (items.length === 0 && names.length === 0) context.err.write(noResources);
  else if (items.length > 0) {
    const wide = output === 'wide';
    const decisions = wide ? (await hub.client.resource(placementDecisions).list(selection)).items : [];
    context.out.write(placementTable(items, decisions, wide, context.clock.now()));
  }
  const missing = names.filter((name) => !all.some(({ metadata }) => metadata?.name === name));
  if (missing.length === 0) return;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  throw new CliError(
    'failed',
    `there is no placement ${missing.join(', ')}${where}`,
    `See all: \`${context.program} get placements\`.`,
  );
}
