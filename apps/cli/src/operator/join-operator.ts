import { AppLabelValue, type Klusterlet, NamespaceName, SecretName } from '@flotilla/api-types';
import { definitionsToApply, namespace } from '@flotilla/install';
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
import { prepareWrites } from '../cluster/prepare-writes.ts';
import { missingOf, perform, type Writes } from '../cluster/writes.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { resourceRequirement, resourcesAgain } from '../options/resources.ts';
import type { Progress } from '../output/progress.ts';
import { agentEdit } from './agent-edit.ts';
import { type AgentInstallation, agentFileValues, agentValues } from './agent-values.ts';
import { disabledObjects } from './disabled-objects.ts';
import type { JoinOptions } from './join-options.ts';
import { hasOwnImages, imagesAgain, imagesOf, namesImages } from './live-images.ts';
import {
  findOperator,
  isPriorityClass,
  isProgram,
  namesOperatorValues,
  namesProgram,
  programValues,
  repeatedObjects,
  withLiveFlags,
} from './live-operator.ts';
import { agentReady, operatorReady, waitForInstalled, waitForOperator } from './readiness.ts';
import { release } from './release.ts';
import { specFromValues } from './upgrade.policy.ts';

/** Installs the operator of agents and a Klusterlet. False in a dry run, which prints them. */
export async function joinByOperator(
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  { managed, progress, ...installation }: AgentInstallation & { managed: Connection; progress: Progress },
): Promise<boolean> {
  const { client } = managed;
  // One that runs is not touched, also if it is of another release: `upgrade klusterlet` is for that.
  const operatorRuns = 'found' in (await operatorReady(client, AppLabelValue.Klusterlet));
  const given = { ...(await agentValues(options, installation)), ...(operatorRuns && { noOperator: true }) };
  const { earlier } = installation;
  const isRepeated = earlier !== undefined;
  const repeated = { ...installation, given, operatorRuns };
  const writes = earlier
    ? await repeatedWrites(client, options, { ...repeated, earlier })
    : { applied: await agentManifestsOf(client, given, options.createNamespace) };
  if (operatorRuns && namesOperatorValues(await agentFileValues(options))) {
    const upgrade = `${context.program} upgrade klusterlet --klusterlet-values-file ${options.klusterletValuesFile}`;
    progress.done(`The operator runs already, and its values in the file are not applied. To apply them: ${upgrade}`);
  }
  if (!(await prepareWrites(context, options, writes, { client, progress, isRepeated }))) return false;
  progress.busy('Installing the agent');
  await perform(client, writes, { owner: cliOwner, clock: context.clock });
  const { klusterlet: name } = klusterletNames(mergeValues(klusterletDefaults, given).klusterlet);
  const count = writes.applied.length + ('edit' in writes ? 1 : 0);
  progress.done(`Installed ${operatorRuns ? '' : 'the operator and '}Klusterlet ${name}: ${count} objects.`);
  if (options.wait) {
    const { timeout } = options;
    if (!operatorRuns) await waitForOperator(context, client, 'klusterlet', { timeout, progress });
    const what = { what: 'the klusterlet', object: `klusterlet ${name}`, timeout, progress };
    await waitForInstalled(context, () => agentReady(client, name), what);
  }
  return true;
}

/** A repeated `join`. */
interface RepeatedJoin extends AgentInstallation {
  readonly earlier: Klusterlet;
  readonly given: GivenValues<KlusterletChartValues>;
  readonly operatorRuns: boolean;
}

/** What changes in an agent that is there: new credentials for the hub, what is missing, and what the flags are about. */
async function repeatedWrites(
  client: KubeClient,
  options: JoinOptions,
  { agent, earlier, given, operatorRuns }: RepeatedJoin,
): Promise<Writes> {
  const fromFile = await agentFileValues(options);
  const deployment = operatorRuns ? undefined : await findOperator(client, AppLabelValue.Klusterlet);
  const ofProgram = deployment ? await programValues(deployment, options, { found: earlier, fromFile }) : {};
  const values = mergeValues<GivenValues<KlusterletChartValues>>(given, ofProgram);
  const isProgramAsked = !operatorRuns && namesProgram(options, fromFile);
  const areCredentialsAsked =
    options.imagePullCredentialFile !== undefined || fromFile.images?.imageCredentials !== undefined;
  const isAsked = (object: KubeObject): boolean => {
    if (object.kind === 'CustomResourceDefinition' || isProgram(object, AppLabelValue.Klusterlet))
      return isProgramAsked;
    if (object.kind !== 'Secret') return object.apiVersion?.startsWith('monitoring.') === true;
    return object.metadata?.name === SecretName.ImagePullCredentials ? areCredentialsAsked : true;
  };
  const manifests = await agentManifestsOf(client, values, options.createNamespace);
  const rendered = manifests.filter(({ kind }) => kind !== 'Klusterlet');
  const applied = await repeatedObjects(client, rendered, isAsked);
  const isFirstOperator = !operatorRuns && !deployment && !hasOwnImages(earlier);
  const images =
    namesImages(options, fromFile) || isFirstOperator
      ? await imagesOfAgent(options, { earlier, values: given, fromFile })
      : {};
  const resources = resourceRequirement(resourcesAgain(options, earlier.spec?.resourceRequirement));
  const edit = agentEdit(client, options, {
    agent,
    earlier,
    fields: { ...images, ...(resources && { resourceRequirement: resources }) },
    values: specFromValues(fromFile, 'klusterlet', { live: { ...earlier.spec }, command: 'join' }),
  });
  const render = (file: object) => klusterletObjects(mergeValues<object>(given, file), release);
  return {
    applied: applied.map((object) => withLiveFlags(object, deployment, namesImages(options, fromFile))),
    edit,
    removed: await disabledObjects(client, fromFile, render),
  };
}

/** The images that flags and file name, in the registry and of the release that run now where they say nothing. */
async function imagesOfAgent(
  options: JoinOptions,
  { earlier, values, fromFile }: { earlier: Klusterlet; values: object; fromFile: GivenValues<KlusterletChartValues> },
): Promise<Record<string, string>> {
  const images = mergeValues<object>(await imagesAgain(options, earlier), fromFile.images ?? {});
  const rendered = klusterletObjects({ ...values, images }, release);
  return imagesOf(rendered.find(({ kind }) => kind === 'Klusterlet'));
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
  const operator = klusterletOperatorObjects(values, release);
  const objects = [
    namespace(NamespaceName.Operator),
    ...(values.noOperator ? await missingOf(client, operator.filter(isPriorityClass)) : []),
    ...(hosted && !values.noOperator ? operator : []),
    ...rendered,
  ];
  return [...definitions, ...(createNamespace ? objects : await withoutNamespaces(client, objects))];
}
