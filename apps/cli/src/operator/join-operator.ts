import { writeFile } from 'node:fs/promises';
import { AppLabelValue, NamespaceName } from '@flotilla/api-types';
import { applyObjects, definitionsToApply, namespace, withOwner } from '@flotilla/install';
import {
  type GivenValues,
  type KlusterletChartValues,
  klusterletDefaults,
  klusterletDefinitions,
  klusterletNames,
  klusterletObjects,
  klusterletOperatorObjects,
  mergeValues,
} from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import type { KubeObject } from '@flotilla/schema';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { formatManifests, formatPlanned } from '../output/format.ts';
import type { Progress } from '../output/progress.ts';
import { withoutSecrets } from '../output/redact.ts';
import { type AgentInstallation, agentValues } from './agent-values.ts';
import type { JoinOptions } from './join-options.ts';
import { agentReady, operatorReady, waitForInstalled, waitForOperator } from './readiness.ts';
import { release } from './release.ts';

/** Installs the operator of agents and a Klusterlet. False in a dry run, which prints them. */
export async function joinByOperator(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  { managed, progress, ...installation }: AgentInstallation & { managed: Connection; progress: Progress },
): Promise<boolean> {
  const { client } = managed;
  // One that runs is not touched, also if it is of another release: `upgrade klusterlet` is for that.
  const operatorRuns = 'found' in (await operatorReady(client, AppLabelValue.Klusterlet));
  const values = { ...(await agentValues(options, installation)), ...(operatorRuns && { noOperator: true }) };
  const manifests = await agentManifestsOf(client, values, options.createNamespace);
  const planned = manifests.map((manifest) => withoutSecrets(withOwner(cliOwner, manifest)));
  if (options.outputFile) await writeFile(options.outputFile, formatManifests(planned), { mode: 0o600 });
  if (options.dryRun) {
    context.out.write(formatPlanned(planned, options.output));
    return false;
  }
  progress.busy('Installing the agent');
  await applyObjects(client, manifests, { owner: cliOwner, clock: context.clock });
  const { klusterlet: name } = klusterletNames(mergeValues(klusterletDefaults, values).klusterlet);
  progress.done(`Installed ${operatorRuns ? '' : 'the operator and '}Klusterlet ${name}: ${manifests.length} objects.`);
  if (options.wait) {
    const { timeout } = options;
    if (!operatorRuns) await waitForOperator(context, client, 'klusterlet', { timeout, progress });
    const what = { what: 'the klusterlet', object: `klusterlet ${name}`, timeout, progress };
    await waitForInstalled(context, () => agentReady(client, name), what);
  }
  return true;
}

/** What is installed: the chart and its namespace. A cluster that hosts agents of others needs the operator too, which OCM leaves out. */
async function agentManifestsOf(
  client: KubeClient,
  values: GivenValues<KlusterletChartValues>,
  createNamespace: boolean,
): Promise<KubeObject[]> {
  const definitions = await definitionsToApply(client, await klusterletDefinitions(), cliOwner);
  const { hosted } = klusterletNames(mergeValues(klusterletDefaults, values).klusterlet);
  const rendered = klusterletObjects(values, release);
  const objects = [
    namespace(NamespaceName.Operator),
    ...(hosted && !values.noOperator ? klusterletOperatorObjects(values, release) : []),
    ...rendered,
  ];
  return [...definitions, ...(createNamespace ? objects : await withoutNamespaces(client, objects))];
}
