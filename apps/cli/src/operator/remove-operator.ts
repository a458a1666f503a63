import { Annotation, AppLabelValue, NamespaceName } from '@flotilla/api-types';
import { agentDefinitions, namespace, type Removal, removeObject, removeObjects } from '@flotilla/install';
import {
  clusterManagerDefinitions,
  clusterManagerObjects,
  klusterletDefinitions,
  klusterletObjects,
} from '@flotilla/install/chart';
import type { KubeClient } from '@flotilla/kube';
import { customResourceDefinitions, deployments } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import { release } from './release.ts';

type OperatorName = typeof AppLabelValue.ClusterManager | typeof AppLabelValue.Klusterlet;

const operatorKey = (name: OperatorName): string => `${NamespaceName.Operator}/${name}`;

/** Whether an operator is installed on a cluster. */
export const hasOperator = async (client: KubeClient, name: OperatorName): Promise<boolean> =>
  (await client.resource(deployments).find(operatorKey(name))) !== undefined;

const credentials = { images: { imageCredentials: { createImageCredentials: true } } };

/** By name: with which values they were rendered does not matter. The object that the operator reconciles is gone already. */
const withoutReconciled = (objects: readonly KubeObject[]): KubeObject[] =>
  objects.filter(({ kind }) => kind !== 'ClusterManager' && kind !== 'Klusterlet');

/** What lets clusters request to join a hub. */
const isBootstrapObject = ({ kind, metadata }: KubeObject): boolean =>
  `${metadata?.name}`.includes('bootstrap') || (kind === 'Secret' && metadata?.namespace === NamespaceName.KubeSystem);

const hubObjects = () =>
  withoutReconciled(
    clusterManagerObjects({ createBootstrapSA: true, createBootstrapToken: true, ...credentials }, release),
  );

/** The objects of `init` that stay when only the operator is kept. */
export const hubBootstrapObjects = (): KubeObject[] => hubObjects().filter(isBootstrapObject);

/** Removes the operator of hubs, its kind, and the namespace if nothing else runs there. */
export async function removeHubOperator(removal: Removal): Promise<void> {
  await removeProgram(removal, hubObjects());
  await removeObjects(removal, [await clusterManagerDefinitions()]);
  await removeNamespace(removal, AppLabelValue.Klusterlet);
}

/** The definitions that the operator of agents made: it keeps them when it goes, since others may need them. */
export async function operatorDefinitions(client: KubeClient): Promise<KubeObject[]> {
  const names = new Set((await agentDefinitions()).map(({ metadata }) => metadata.name));
  const { items } = await client.resource(customResourceDefinitions).list();
  return items.filter(
    ({ metadata }) => names.has(metadata?.name ?? '') && metadata?.annotations?.[Annotation.CrdVersion] !== undefined,
  );
}

/** Removes the operator of agents, its kind, the definitions that it made, and the namespace if nothing else runs there. */
export async function removeKlusterletOperator(removal: Removal, made: readonly KubeObject[]): Promise<void> {
  await removeProgram(
    removal,
    withoutReconciled(klusterletObjects({ ...credentials, klusterlet: { create: false } }, release)),
  );
  await removeObjects(removal, [await klusterletDefinitions()]);
  await removeDefinitions(removal, made);
  await removeNamespace(removal, AppLabelValue.ClusterManager);
}

/** Removes definitions by name, whoever created them. */
export async function removeDefinitions(removal: Removal, definitions: readonly KubeObject[]): Promise<void> {
  const handle = removal.client.resource(customResourceDefinitions);
  for (const { metadata } of definitions) {
    const found = await handle.find(metadata?.name ?? '');
    if (found) await removeObject(removal, handle, { ...found, kind: customResourceDefinitions.kind });
  }
}

/** The program first, so that it does not act without its rights. */
const removeProgram = (removal: Removal, objects: readonly KubeObject[]): Promise<void> =>
  removeObjects(removal, [
    objects.filter(({ kind }) => kind === 'Deployment'),
    objects.filter(({ kind }) => kind !== 'Deployment'),
  ]);

async function removeNamespace(removal: Removal, other: OperatorName): Promise<void> {
  if (await hasOperator(removal.client, other)) return;
  await removeObjects(removal, [[namespace(NamespaceName.Operator)]]);
}
