import { managedClusterSetBindings, type Placement, type PlacementSpec, placements } from '@flotilla/api-types';
import type { KubeClient } from '@flotilla/kube';
import { parseLabelSelector, semanticEqual } from '@flotilla/kube/meta';
import { isDnsSubdomain } from '@flotilla/schema';
import { requireNamespace } from '../clusterset/find-set.ts';
import type { ChangeOptions, CliContext, GlobalOptions } from '../context.ts';
import { CliError } from '../errors/cli-error.ts';
import { requireHub } from '../hub/accept.ts';
import { startChangeReport } from '../output/change-report.ts';
import { withKind } from '../output/kubectl-name.ts';
import { parsePrioritizer } from '../placement/prioritizers.ts';

/** The flags of `create placement`. */
export interface CreatePlacementOptions extends ChangeOptions {
  readonly namespace: string;
  readonly labelSelectors?: readonly string[];
  readonly clustersets?: readonly string[];
  readonly prioritizers?: readonly string[];
  readonly count?: number;
  readonly overwrite?: boolean;
  readonly output: string;
}

/** The name is the value of a label on the decisions. */
const longestName = 63;

/** Creates a placement on the hub. */
export async function createPlacement(
  context: CliContext,
  name: string | undefined,
  options: CreatePlacementOptions & GlobalOptions,
): Promise<void> {
  const { namespace, clustersets = [], overwrite = false, dryRun = false } = options;
  checkName(name, context.program);
  const spec = specOf(options);
  await using hub = await context.connector.toCluster(options);
  await requireHub(hub.client);
  await requireNamespace(hub.client, namespace);
  await requireBindings(hub.client, namespace, clustersets, context.program);
  const handle = hub.client.resource(placements);
  const report = startChangeReport(context, options);
  const existing = await handle.find(`${namespace}/${name}`);
  if (!existing) {
    const created = await handle.create({ metadata: { namespace, name }, spec }, { dryRun });
    report.add(withKind(placements, created), `Placement '${name}' has been created in '${namespace}' namespace`);
    return report.end();
  }
  if (!overwrite) {
    throw new CliError('precondition', `placement ${name} already exists`, 'Replace its spec with --overwrite.');
  }
  const replaced = await handle.replace({ ...existing, spec }, { dryRun });
  report.add(withKind(placements, replaced), `Placement '${name}' of '${namespace}' namespace has been updated`);
  report.end();
  if (semanticEqual(existing.spec, spec)) context.err.write('It was the same before.\n');
}

function checkName(name: string | undefined, program: string): asserts name is string {
  const example = `For example: \`${program} create placement web --namespace team --label-selectors env=prod\`.`;
  if (name === undefined) throw new CliError('usage', 'the name of the placement must be specified', example);
  if (name.length <= longestName && isDnsSubdomain(name)) return;
  throw new CliError(
    'usage',
    `"${name}" cannot be the name of a placement`,
    `It must have 1 to ${longestName} lower-case letters, digits, hyphens and dots, and begin and end with a letter or digit.`,
  );
}

function specOf({
  labelSelectors = [],
  clustersets = [],
  prioritizers = [],
  count,
}: CreatePlacementOptions): Placement['spec'] {
  const spec: PlacementSpec = {
    ...(clustersets.length > 0 && { clusterSets: [...clustersets] }),
    ...(labelSelectors.length > 0 && { predicates: labelSelectors.map(predicateOf) }),
    ...(prioritizers.length > 0 && {
      prioritizerPolicy: { mode: 'Additive', configurations: prioritizers.map(parsePrioritizer) },
    }),
    ...(count !== undefined && { numberOfClusters: count }),
  };
  return spec;
}

/** Each selector is a predicate of its own, and a cluster must match one of them. */
function predicateOf(text: string): NonNullable<PlacementSpec['predicates']>[number] {
  try {
    const { matchExpressions = [] } = parseLabelSelector(text);
    const labelSelector = {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values && { values: [...values] }),
      })),
    };
    return { requiredClusterSelector: { labelSelector } };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = 'Give a label selector as kubectl takes it, for example env=prod,region!=eu.';
    throw new CliError('usage', `--label-selectors: "${text}" is not a label selector: ${why}`, hint, cause);
  }
}

async function requireBindings(
  client: KubeClient,
  namespace: string,
  sets: readonly string[],
  program: string,
): Promise<void> {
  for (const set of sets) {
    if (await client.resource(managedClusterSetBindings).find(`${namespace}/${set}`)) continue;
    throw new CliError(
      'precondition',
      `cluster set ${set} is not bound to namespace ${namespace}, so that a placement there cannot choose from it`,
      `Bind it first: \`${program} clusterset bind ${set} --namespace ${namespace}\`.`,
    );
  }
}
