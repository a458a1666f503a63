import { exampleName } from './example-work.ts';
import type { Fleet } from './fleet.ts';

/** Begins what is said when all is there. */
export const readyMark = 'Kubeconfigs:';

/** What `up` says when all is there: where the kubeconfigs are, and what to try. */
export function nextSteps(
  program: string,
  { hub, managed, waiting }: Pick<Fleet, 'hub' | 'managed' | 'waiting'>,
  dataDir?: string,
): string {
  const [first] = managed;
  const last = managed.findLast(({ name }) => name !== waiting);
  const kubeconfigs = [hub, ...managed].map(({ name, kubeconfigPath }) => `  ${name.padEnd(12)}${kubeconfigPath}`);
  return [
    readyMark,
    ...kubeconfigs,
    '',
    'Try next, in another terminal:',
    ...(waiting === undefined
      ? []
      : [
          `  # ${waiting} has asked and waits: let it in`,
          `  ${program} accept --clusters ${waiting} --kubeconfig ${hub.kubeconfigPath}`,
        ]),
    `  # follow the example work from the hub to its objects on ${first?.name}`,
    `  ${program} explain work ${exampleName} --kubeconfig ${hub.kubeconfigPath}`,
    `  # change what it runs behind the agent's back, and see it mended`,
    `  kubectl --kubeconfig ${first?.kubeconfigPath} scale deployment ${exampleName} --replicas 5`,
    `  # give objects of your own to clusters`,
    `  ${program} create work mine -f FILE --clusters ${first?.name} --feedback --wait --kubeconfig ${hub.kubeconfigPath}`,
    `  ${program} get works -o wide --kubeconfig ${hub.kubeconfigPath}`,
    `  # take ${last?.name} away`,
    `  ${program} unjoin --cluster-name ${last?.name} --kubeconfig ${last?.kubeconfigPath} --hub-kubeconfig ${hub.kubeconfigPath}`,
    '',
    dataDir === undefined
      ? 'Ctrl-C ends everything.'
      : `Ctrl-C, or \`${program} down --data-dir ${dataDir}\`, ends everything.`,
  ].join('\n');
}
