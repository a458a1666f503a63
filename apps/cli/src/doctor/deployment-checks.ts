import type { KubeClient } from '@flotilla/kube';
import { type Deployment, deployments } from '@flotilla/kube/kinds';
import { type Check, failed, ok, warning } from './check.ts';

/** A Deployment in its namespace, and how many of its pods there are and should be. */
const countsOf = ({ metadata, spec, status }: Deployment) => ({
  name: metadata?.name ?? '',
  namespace: metadata?.namespace ?? '',
  desired: spec?.replicas ?? 1,
  available: status?.availableReplicas ?? 0,
});

/** What is wrong with Deployments, the worst first; undefined if all their pods are available. */
function outcomeOf(found: readonly Deployment[]) {
  const counts = found.map(countsOf);
  const stopped = counts.find(({ desired }) => desired === 0);
  if (stopped) {
    const { name, namespace } = stopped;
    const fix = `Start it again: kubectl -n ${namespace} scale deployment ${name} --replicas=1`;
    return failed(`Deployment ${namespace}/${name} is scaled to 0 replicas`, fix);
  }
  const down = counts.filter(({ available }) => available === 0);
  const short = counts.filter(({ available, desired }) => available < desired);
  const [first] = [...down, ...short];
  if (!first) return undefined;
  const said = short.map(({ name, available, desired }) => `${name} (${available} of ${desired} available)`);
  const outcome = down.length > 0 ? failed : warning;
  return outcome(
    `pods are missing: ${said.join(', ')}`,
    `See why: kubectl -n ${first.namespace} describe pods, and kubectl -n ${first.namespace} logs deployment/${first.name}`,
  );
}

/** The Deployment of an operator runs. */
export const operatorCheck = (client: KubeClient, operator: Deployment): Check => [
  'operator',
  async () => {
    const { name, namespace } = countsOf(operator);
    const found = (await client.resource(deployments).find(`${namespace}/${name}`)) ?? operator;
    return outcomeOf([found]) ?? ok('is available');
  },
];

/**
 * The Deployments that an operator made in a namespace run. What its conditions say is old when it does not. `mayRest` says
 * which may have no replicas.
 */
export const partsCheck = (
  client: KubeClient,
  check: string,
  namespace: string,
  mayRest: () => Promise<(name: string) => boolean> = async () => () => false,
): Check => [
  check,
  async () => {
    const { items } = await client.resource(deployments).list({ namespace });
    if (items.length === 0) {
      return failed(
        `there is no Deployment in namespace ${namespace}`,
        'Its operator makes them: correct what is wrong with the operator first.',
      );
    }
    const isResting = await mayRest();
    const expected = items.filter(({ metadata, spec }) => spec?.replicas !== 0 || !isResting(metadata?.name ?? ''));
    return outcomeOf(expected) ?? ok(`available, ${expected.map(({ metadata }) => metadata?.name).join(', ')}`);
  },
];
