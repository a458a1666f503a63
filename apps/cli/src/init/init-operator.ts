import { type ClusterManager, ConfigMapName, NamespaceName, SecretName, ServiceAccountName } from '@flotilla/api-types';
import { clusterInfo, clusterInfoAccess, definitionsToApply, namespace } from '@flotilla/install';
import {
  type ClusterManagerChartValues,
  clusterManagerDefinitions,
  clusterManagerObjects,
  type GivenValues,
} from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import type { Deployment } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { withoutNamespaces } from '../cluster/namespaces.ts';
import { cliOwner } from '../cluster/owner.ts';
import { prepareWrites } from '../cluster/prepare-writes.ts';
import { perform, type Writes } from '../cluster/writes.ts';
import type { CliContext, Connection, GlobalOptions } from '../context.ts';
import { currentBootstrapToken } from '../hub/bootstrap-token.ts';
import { publishedAddress } from '../hub/cluster-info.ts';
import { publishesAgain } from '../hub/publishes-again.ts';
import { disabledObjects } from '../operator/disabled-objects.ts';
import { bootstrapValues, credentialValues, fileValues, hubName, hubValues } from '../operator/hub-values.ts';
import { hasOwnImages, imagesOf, namesImages } from '../operator/live-images.ts';
import {
  findOperator,
  isProgram,
  namesProgram,
  programValues,
  repeatedObjects,
  withLiveFlags,
} from '../operator/live-operator.ts';
import { hubReady, waitForInstalled, waitForOperator } from '../operator/readiness.ts';
import { release } from '../operator/release.ts';
import { specFromValues } from '../operator/upgrade.policy.ts';
import { resourceRequirement, resourcesAgain } from '../options/resources.ts';
import { type HubInstallation, hubEdit } from './hub-installation.ts';
import type { InitOptions } from './init-options.ts';

type Values = GivenValues<ClusterManagerChartValues>;

/** Installs the operator of hubs and a ClusterManager. False in a dry run, which prints them. */
export async function initByOperator(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  installation: HubInstallation,
): Promise<boolean> {
  const { hub, recorded, progress, found } = installation;
  const { client } = hub;
  const deployment = await findOperator(client, 'cluster-manager');
  const writes = found
    ? await repeatedWrites(context, options, { ...installation, found, deployment })
    : {
        applied: await hubManifestsOf(
          hub,
          await withToken(context, client, await hubValues(options, recorded)),
          options,
        ),
      };
  const isRepeated = found !== undefined;
  if (!(await prepareWrites(context, options, writes, { client, progress, isRepeated }))) return false;
  progress.busy('Installing the operator');
  await perform(client, writes, { owner: cliOwner, clock: context.clock });
  progress.done(
    `Installed the operator and ClusterManager ${hubName}: ${writes.applied.length + ('edit' in writes ? 1 : 0)} objects.`,
  );
  if (options.wait) {
    const { timeout } = options;
    await waitForOperator(context, client, 'cluster-manager', { timeout, progress });
    const what = { what: 'the hub', object: `clustermanager ${hubName}`, timeout, progress };
    await waitForInstalled(context, () => hubReady(client, hubName), what);
  }
  return true;
}

/** What changes in a hub that is there: what is missing is made, and what the flags are about changes. */
async function repeatedWrites(
  context: CliContext,
  options: InitOptions & GlobalOptions,
  {
    hub,
    found,
    deployment,
    useBootstrapToken,
    changes,
  }: HubInstallation & { found: ClusterManager; deployment: Deployment | undefined },
): Promise<Writes> {
  const fromFile = await fileValues(options);
  const isProgramAsked = namesProgram(options, fromFile);
  const credentials = await credentialValues(options);
  const base = (await programValues(deployment, options, { found, fromFile })) as Values;
  const values = await withToken(context, hub.client, {
    ...base,
    images: {
      ...base.images,
      imageCredentials: { ...credentials.imageCredentials, ...fromFile.images?.imageCredentials },
    },
    ...bootstrapValues({ useBootstrapToken }, fromFile),
  });
  const areCredentialsAsked =
    options.imagePullCredentialFile !== undefined || fromFile.images?.imageCredentials !== undefined;
  const isAsked = (object: KubeObject): boolean => {
    if (object.kind === 'CustomResourceDefinition') return isProgramAsked;
    if (isProgram(object, 'cluster-manager')) return isProgramAsked;
    if (object.kind !== 'Secret') return object.apiVersion?.startsWith('monitoring.') === true;
    return object.metadata?.name === SecretName.ImagePullCredentials ? areCredentialsAsked : true;
  };
  const manifests = await hubManifestsOf(hub, values, options);
  const rendered = manifests.filter(({ kind }) => kind !== 'ClusterManager');
  const publishes = await publishesAgain(hub);
  const applied = await repeatedObjects(
    hub.client,
    rendered,
    (object) =>
      isAsked(object) ||
      (publishes && object.metadata?.name === ConfigMapName.ClusterInfo && object.kind === 'ConfigMap'),
  );
  const ofChart = manifests.find(({ kind }) => kind === 'ClusterManager') as ClusterManager | undefined;
  const areImagesAsked = namesImages(options, fromFile) || (!deployment && !hasOwnImages(found));
  const images = areImagesAsked ? imagesOf(ofChart) : {};
  const isAccountNew = applied.some(({ metadata }) => metadata?.name === ServiceAccountName.AgentRegistrationBootstrap);
  const users = ofChart?.spec?.registrationConfiguration?.autoApproveUsers;
  const resources = resourceRequirement(resourcesAgain(options, found.spec?.resourceRequirement));
  const edit = hubEdit(hub.client, {
    ...changes,
    ...(users && (isAccountNew || options.useBootstrapToken) && { users }),
    fields: { ...images, ...(resources && { resourceRequirement: resources }) },
    values: specFromValues(fromFile, 'clusterManager', { live: { ...found.spec }, command: 'init' }),
  });
  return {
    applied: applied.map((object) => withLiveFlags(object, deployment, namesImages(options, fromFile))),
    edit,
    removed: await disabledObjects(hub.client, fromFile, (given) => clusterManagerObjects(given, release)),
  };
}

/** The token that there is, so that repeating `init` does not end the joins of others; else a new one. */
async function withToken({ clock }: CliContext, client: KubeClient, values: Values): Promise<Values> {
  if (!values.createBootstrapToken) return values;
  const { secret, expires } = await currentBootstrapToken(client, clock);
  return { ...values, bootstrapToken: { secret, expiration: expires } };
}

/** What is installed: the chart, its namespace, and what lets clusters find and verify the hub. */
async function hubManifestsOf(
  { client, access }: Connection,
  values: Values,
  { createNamespace }: Pick<InitOptions, 'createNamespace'>,
): Promise<KubeObject[]> {
  const definitions = await definitionsToApply(client, await clusterManagerDefinitions(), cliOwner);
  const published = await publishedAddress(client, access);
  const objects = [
    namespace(NamespaceName.Operator),
    ...clusterInfoAccess(),
    ...(published ? [clusterInfo(published)] : []),
    ...clusterManagerObjects(values, release),
  ];
  return [...definitions, ...(createNamespace ? objects : await withoutNamespaces(client, objects))];
}
