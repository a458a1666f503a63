import { NamespaceName } from '@flotilla/api-types';
import {
  type GivenValues,
  type KlusterletChartValues,
  mergeValues,
  type OperatorValues,
  operatorValueKeys,
} from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import { type Deployment, deployments } from '@flotilla/kube/kinds';
import { isRecord, type KubeObject } from '@flotilla/schema';
import { missingOf } from '../cluster/writes.ts';
import type { ImageOptions } from '../options/bundle.ts';
import { imagesAgain, namesImages } from './live-images.ts';

/** How the operator runs, in the values of both charts. */
type LiveValues = GivenValues<OperatorValues & Pick<KlusterletChartValues, 'images'>>;

/** The Deployment of an operator; undefined if there is none. */
export const findOperator = (client: KubeClient, name: string): Promise<Deployment | undefined> =>
  client.resource(deployments).find(`${NamespaceName.Operator}/${name}`);

/** Flags that the chart sets by itself, to addresses and images. */
const chartFlags = ['--listen', '--hub-image', '--agent-image', '--singleton-image'];
/** Flags that have a value of the chart. */
const valueFlags = { enableSyncLabels: '--enable-sync-labels', deploymentReplicas: '--deployment-replicas' };

const nameOf = (flag: string): string => flag.replace(/=.*/s, '');

/** The flags of an operator, each with its value. Another word is its command, or the program in the image of OCM. */
function liveFlags(deployment: Deployment | undefined): string[] {
  const args = deployment?.spec?.template.spec?.containers[0]?.args ?? [];
  return args.flatMap((arg, at) => {
    const next = args[at + 1];
    if (!arg.startsWith('-')) return [];
    return arg.includes('=') || next === undefined || next.startsWith('-') ? [arg] : [`${arg}=${next}`];
  });
}

/** How an operator runs now, as values: what was chosen once is not changed by an upgrade. */
export function liveOperatorValues(deployment: Deployment | undefined): LiveValues {
  const { replicas, template } = deployment?.spec ?? {};
  const { containers = [], securityContext, nodeSelector, tolerations, affinity } = template?.spec ?? {};
  const { priorityClassName } = template?.spec ?? {};
  const [container] = containers;
  const flags = liveFlags(deployment);
  const known = [...chartFlags, ...Object.values(valueFlags)];
  const extraArgs = flags.filter((flag) => !known.includes(nameOf(flag)));
  const programs = flags.find((flag) => nameOf(flag) === valueFlags.deploymentReplicas);
  const isSynced = flags.some((flag) =>
    [valueFlags.enableSyncLabels, `${valueFlags.enableSyncLabels}=true`].includes(flag),
  );
  return {
    ...(replicas !== undefined && { replicaCount: replicas }),
    ...(isSynced && { enableSyncLabels: true }),
    ...(programs && { deploymentReplicas: Number(programs.replace(/.*=/, '')) }),
    ...(extraArgs.length > 0 && { extraArgs }),
    ...(securityContext && { podSecurityContext: securityContext }),
    ...(container?.securityContext && { securityContext: container.securityContext }),
    ...(container?.resources && { resources: container.resources }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
    ...(priorityClassName && { priorityClassName }),
    ...(container?.imagePullPolicy && { images: { imagePullPolicy: container.imagePullPolicy } }),
  } as LiveValues;
}

/** Values over those of an operator that runs. What is named as empty is removed, as in a first installation. */
export function withNamedValues(live: LiveValues, ...named: readonly object[]): object {
  const cleared = new Set(named.flatMap((values) => Object.entries(values).filter(isEmptyMap)).map(([key]) => key));
  const kept = Object.fromEntries(Object.entries(live).filter(([key]) => !cleared.has(key)));
  return mergeValues<object>(kept, ...named);
}

const isEmptyMap = ([, value]: [string, unknown]): boolean => isRecord(value) && Object.keys(value).length === 0;

/** The flags of `init` and `join` that are about the operator itself. */
interface ProgramOptions extends ImageOptions {
  readonly enableSyncLabels?: boolean;
}

/** Whether a file has values about the operator itself. */
export const namesOperatorValues = (fromFile: GivenValues<Pick<KlusterletChartValues, 'images'>>): boolean =>
  operatorValueKeys.some((key) => Object.hasOwn(fromFile, key)) || fromFile.images?.imagePullPolicy !== undefined;

/** Whether a repeated command is about the operator itself: without that, it stays as it is. */
export const namesProgram = (options: ProgramOptions, fromFile: object): boolean =>
  namesImages(options, fromFile) || options.enableSyncLabels !== undefined || namesOperatorValues(fromFile);

/** The values for an operator: as it runs now, if it is there, with what the flags and the file change. */
export async function programValues(
  deployment: Deployment | undefined,
  options: ProgramOptions,
  { found, fromFile }: { readonly found: object; readonly fromFile: object },
): Promise<object> {
  const image = deployment?.spec?.template.spec?.containers[0]?.image;
  const keepsImage = image !== undefined && !namesImages(options, fromFile);
  const images = keepsImage ? { overrides: { operatorImage: image } } : await imagesAgain(options, found);
  const { enableSyncLabels } = options;
  const flags = { images, ...(enableSyncLabels !== undefined && { enableSyncLabels }) };
  return withNamedValues(liveOperatorValues(deployment), flags, fromFile);
}

const programKinds = [
  ...['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'],
  ...['PodDisruptionBudget', 'NetworkPolicy'],
];

/** The operator with its rights and its protection. */
export const isProgram = ({ kind = '', metadata }: KubeObject, operator: string): boolean =>
  programKinds.includes(kind) && metadata?.name === operator;

/** That of the operator of agents. Another one of its name stays as it is: its fields cannot be changed. */
export const isPriorityClass = ({ kind }: KubeObject): boolean => kind === 'PriorityClass';

/** The objects of a repeated command: what is there stays as it is, except where the command is about it. */
export async function repeatedObjects(
  client: KubeClient,
  objects: readonly KubeObject[],
  isAsked: (object: KubeObject) => boolean,
): Promise<KubeObject[]> {
  const missing = new Set(
    await missingOf(
      client,
      objects.filter((object) => !isAsked(object)),
    ),
  );
  return objects.filter((object) => isAsked(object) || missing.has(object));
}

/** Addresses and images that somebody gave to the operator stay, unless a command names images. Other flags are values. */
export function withLiveFlags(object: KubeObject, live: Deployment | undefined, namesImages: boolean): KubeObject {
  if (object.kind !== 'Deployment' || namesImages) return object;
  const { spec } = object as Deployment;
  const { containers: [container, ...others] = [], ...pod } = spec?.template.spec ?? {};
  const flags = liveFlags(live).filter((flag) => chartFlags.includes(nameOf(flag)));
  const args = (container?.args ?? []).map((arg) => flags.find((flag) => nameOf(flag) === nameOf(arg)) ?? arg);
  const template = { ...spec?.template, spec: { ...pod, containers: [{ ...container, args }, ...others] } };
  return { ...object, ...{ spec: { ...spec, template } } };
}
