import { join } from 'node:path';
import { type ManifestWork, managedClusters } from '@flotilla/api-types';
import { KubeError } from '@flotilla/kube';
import type { CliContext, ClusterChoice, Connection, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { heartbeatOf } from '../hub/heartbeat.ts';
import { asCalled } from '../output/as-called.ts';
import { formatValue, isMachineFormat } from '../output/format.ts';
import { fleetDirectory } from '../up/detach.ts';
import { fleetKubeconfig } from '../up/fleet-kubeconfig.ts';
import { type ClustersOptions, chosenClusters, requireClusters } from '../work/choose-clusters.ts';
import { type Explanation, explainWork } from '../work/explain/explanation.ts';
import type { ManagedFacts, WorkFacts } from '../work/explain/facts.ts';
import { readManaged } from '../work/explain/read-managed.ts';
import { renderExplanation } from '../work/explain/render.ts';
import { findWorks } from '../work/find-works.ts';

/** The flags of `explain work`. */
export interface ExplainWorkOptions extends ClustersOptions {
  readonly managedKubeconfig?: string;
  readonly managedContext?: string;
  readonly dataDir?: string;
  readonly output: string;
}

type Options = ExplainWorkOptions & GlobalOptions;

/** Explains where a work is on its way from the hub to the objects, and what it waits for. */
export async function explainWorks(context: CliContext, name: string | undefined, options: Options): Promise<void> {
  if (name === undefined) {
    throw new CliError('usage', 'work name must be specified', `See them with \`${context.program} get works\`.`);
  }
  const clusters = chosenClusters(options);
  await using hub = await context.connector.toCluster(hubChoice(context, options));
  await requireHub(hub.client);
  await requireClusters(hub.client, clusters, context.program);
  const works = await findWorks(hub.client, [name], clusters);
  if (works.length === 0) {
    const where = clusters.length > 0 ? `in cluster ${clusters.join(', ')}` : 'on any cluster';
    throw new CliError('failed', `there is no work ${name} ${where}`, `See all: \`${context.program} get works\`.`);
  }
  if (works.length > 1 && isManagedNamed(options)) {
    const places = works.map(({ metadata }) => metadata?.namespace).join(', ');
    throw new CliError(
      'usage',
      `work ${name} is on ${places}, and one kubeconfig is named`,
      'Name the cluster too: --clusters NAME.',
    );
  }
  const explanations: Explanation[] = [];
  for (const work of works) explanations.push(explainWork(await readFacts(context, hub, work, options)));
  if (isMachineFormat(options.output)) context.out.write(formatValue(explanations, options.output));
  else {
    const text = explanations.map((each) => renderExplanation(each, context.clock.now())).join('\n');
    context.out.write(asCalled(text, context.program));
  }
}

/** A fleet that is named by its directory has its hub there too. */
function hubChoice({ env }: CliContext, options: Options): ClusterChoice {
  const { kubeconfig, context, dataDir } = options;
  if (dataDir === undefined || kubeconfig !== undefined || context !== undefined) return options;
  return { kubeconfig: join(fleetDirectory(env, dataDir), 'kubeconfigs', 'hub.yaml') };
}

const isManagedNamed = ({ managedKubeconfig, managedContext }: Options): boolean =>
  managedKubeconfig !== undefined || managedContext !== undefined;

async function readFacts(
  context: CliContext,
  hub: Connection,
  work: ManifestWork,
  options: Options,
): Promise<WorkFacts> {
  const name = work.metadata?.namespace ?? '';
  const cluster = await hub.client.resource(managedClusters).find(name);
  const heartbeat = await heartbeatOf(hub.client, name);
  const managed = await askManaged(context, hub, work, options);
  return {
    work,
    ...(cluster && { cluster }),
    ...(heartbeat !== undefined && { heartbeat }),
    ...(managed && { managed }),
    now: context.clock.now(),
  };
}

/** Asks the managed cluster, if it is known how to reach it; what the hub has is printed in any case. */
async function askManaged(
  context: CliContext,
  hub: Connection,
  work: ManifestWork,
  options: Options,
): Promise<ManagedFacts | undefined> {
  const cluster = work.metadata?.namespace ?? '';
  const fleet = isManagedNamed(options) ? undefined : await fleetKubeconfig(context, hub.access, cluster, options);
  const kubeconfig = options.managedKubeconfig ?? fleet ?? options.kubeconfig;
  if (!isManagedNamed(options) && fleet === undefined) {
    context.err.write(
      `This is what the hub has of ${cluster}. For the objects and who writes them: --managed-kubeconfig or --managed-context, or --data-dir for a fleet of \`${context.program} up\`.\n`,
    );
    return undefined;
  }
  try {
    await using managed = await context.connector.toCluster({
      ...(kubeconfig && { kubeconfig }),
      ...(options.managedContext && { context: options.managedContext }),
    });
    return await readManaged(managed.client, work);
  } catch (error) {
    context.err.write(`${cluster} could not be read, so this is what the hub has: ${KubeError.from(error).message}\n`);
    return undefined;
  }
}
