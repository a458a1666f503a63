import { crdNameOf, type Klusterlet, klusterlets, NamespaceName } from '@flotilla/api-types';
import { customResourceDefinitions, type KubeClient, KubeError, namespaces } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import type { Progress } from '../output/progress.ts';
import { waitFor } from '../waiting.ts';

/** The Klusterlets of a cluster; none if it has no such kind. */
export async function listKlusterlets(client: KubeClient): Promise<Klusterlet[]> {
  try {
    return (await client.resource(klusterlets).list()).items;
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return [];
    throw error;
  }
}

/** The Klusterlet by which this cluster is joined under a name. */
export const findKlusterlet = async (client: KubeClient, clusterName: string): Promise<Klusterlet | undefined> =>
  (await listKlusterlets(client)).find(({ spec }) => spec?.clusterName === clusterName);

/** Removes what `join` made: the Klusterlet first, so that its agent stops before its credentials go. Answers what was removed. */
export async function leaveHub(
  context: CliContext,
  client: KubeClient,
  klusterlet: Klusterlet,
  { dryRun, timeoutMs, progress }: { dryRun: boolean; timeoutMs: number; progress: Progress },
): Promise<string[]> {
  const name = klusterlet.metadata?.name ?? '';
  const namespace = klusterlet.spec?.namespace ?? NamespaceName.Agent;
  const removed: string[] = [];
  const remove = async (what: string, act: () => Promise<void>) => {
    if (!dryRun) await act();
    removed.push(what);
  };
  const hint = `See what holds it: \`kubectl get klusterlet ${name} -o yaml\`, \`kubectl get namespace ${namespace} -o yaml\`.`;
  const untilGone = (goal: string, find: () => Promise<unknown>) =>
    waitFor(context, { goal, hint, timeoutMs, progress }, async () =>
      (await find()) ? { pending: 'it is still there' } : { found: true },
    );

  await remove(`Klusterlet ${name}`, async () => {
    await client.resource(klusterlets).delete(name);
    await untilGone(`Klusterlet ${name} to go`, () => client.resource(klusterlets).find(name));
  });
  const others = (await client.resource(klusterlets).list()).items.filter(({ metadata }) => metadata?.name !== name);
  const agentNamespaces = others.length === 0 ? [namespace, NamespaceName.AgentAddOn] : [namespace];
  for (const each of agentNamespaces) {
    if (!(await client.resource(namespaces).find(each))) continue;
    await remove(`Namespace ${each}`, async () => {
      await client.resource(namespaces).delete(each);
      await untilGone(`namespace ${each} to go`, () => client.resource(namespaces).find(each));
    });
  }
  if (others.length === 0) {
    const definition = crdNameOf('Klusterlet');
    await remove(`CustomResourceDefinition ${definition}`, () =>
      client.resource(customResourceDefinitions).delete(definition),
    );
  }
  return removed;
}
