import { NamespaceName } from '@flotilla/api-types';
import { type GivenValues, type KlusterletChartValues, mergeValues } from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import { type Deployment, deployments } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { missingOf } from '../cluster/writes.ts';
import type { ImageOptions } from '../options/bundle.ts';
import { imagesAgain, namesImages } from './live-images.ts';

/** What both charts say about how the operator runs. */
type OperatorValues = Pick<
  GivenValues<KlusterletChartValues>,
  | 'replicaCount'
  | 'enableSyncLabels'
  | 'podSecurityContext'
  | 'securityContext'
  | 'resources'
  | 'nodeSelector'
  | 'tolerations'
  | 'affinity'
>;

/** The Deployment of an operator; undefined if there is none. */
export const findOperator = (client: KubeClient, name: string): Promise<Deployment | undefined> =>
  client.resource(deployments).find(`${NamespaceName.Operator}/${name}`);

/** How an operator runs now, as values: what was chosen once is not changed by an upgrade. */
export function liveOperatorValues(deployment: Deployment | undefined): OperatorValues {
  const { replicas, template } = deployment?.spec ?? {};
  const { containers = [], securityContext, nodeSelector, tolerations, affinity } = template?.spec ?? {};
  const [container] = containers;
  return {
    ...(replicas !== undefined && { replicaCount: replicas }),
    ...(container?.args?.includes('--enable-sync-labels') && { enableSyncLabels: true }),
    ...(securityContext && { podSecurityContext: securityContext }),
    ...(container?.securityContext && { securityContext: container.securityContext }),
    ...(container?.resources && { resources: container.resources }),
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
  } as OperatorValues;
}

/** The flags of `init` and `join` that are about the operator itself. */
interface ProgramOptions extends ImageOptions {
  readonly enableSyncLabels?: boolean;
}

/** Values of a file that are about the operator itself. */
const programKeys = [
  'replicaCount',
  'podSecurityContext',
  'securityContext',
  'resources',
  'nodeSelector',
  'tolerations',
  'affinity',
  'enableSyncLabels',
  'priorityClassName',
];

/** Whether a repeated command is about the operator itself: without that, it stays as it is. */
export const namesProgram = (options: ProgramOptions, fromFile: object): boolean =>
  namesImages(options, fromFile) ||
  options.enableSyncLabels !== undefined ||
  programKeys.some((key) => Object.hasOwn(fromFile, key));

/** The values for an operator: as it runs now, if it is there, with what the flags and the file change. */
export async function programValues(
  deployment: Deployment | undefined,
  options: ProgramOptions,
  { found, fromFile }: { readonly found: object; readonly fromFile: object },
): Promise<object> {
  const image = deployment?.spec?.template.spec?.containers[0]?.image;
  const keepsImage = image !== undefined && !namesImages(options, fromFile);
  const images = keepsImage ? { overrides: { operatorImage: image } } : await imagesAgain(options, found);
  const flags = { images, ...(options.enableSyncLabels && { enableSyncLabels: true }) };
  return mergeValues<object>(liveOperatorValues(deployment), flags, fromFile);
}

/** The operator with its rights. */
export const isProgram = ({ kind = '', metadata }: KubeObject, operator: string): boolean =>
  ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Deployment'].includes(kind) && metadata?.name === operator;

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

/**
 * The flags of a container that somebody added stay. Those that a command renders too, such as images of agents, are as it renders them
 * if it names images, and else as they are.
 */
export function withLiveFlags(object: KubeObject, live: Deployment | undefined, namesImages: boolean): KubeObject {
  const liveArgs = live?.spec?.template.spec?.containers[0]?.args ?? [];
  if (object.kind !== 'Deployment' || liveArgs.length === 0) return object;
  const { spec } = object as Deployment;
  const { containers: [container, ...others] = [], ...pod } = spec?.template.spec ?? {};
  const flagOf = (arg: string) => arg.split('=')[0];
  const rendered = container?.args ?? [];
  const [first, second] = namesImages ? [rendered, liveArgs] : [liveArgs, rendered];
  const known = new Set(first.map(flagOf));
  const args = [...first, ...second.filter((arg) => !known.has(flagOf(arg)))];
  const template = { ...spec?.template, spec: { ...pod, containers: [{ ...container, args }, ...others] } };
  return { ...object, ...{ spec: { ...spec, template } } };
}
