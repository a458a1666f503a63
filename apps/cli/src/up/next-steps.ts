import { exampleName } from './example-work.ts';

/** Begins what is said when all is there. */
export const readyMark = 'Kubeconfigs:';

/** What is told about: names, and where the kubeconfigs and the file to try are. */
export interface FleetFiles {
  readonly hub: ServerFiles;
  readonly managed: readonly ServerFiles[];
  readonly waiting?: string;
  readonly tryFile: string;
}

/** A server of the fleet, as a user sees it. */
interface ServerFiles {
  readonly name: string;
  readonly kubeconfigPath: string;
}

/** What `up` says when all is there: where the kubeconfigs are, and three things to try, each ready to be pasted. */
export function nextSteps(program: string, { hub, managed, waiting, tryFile }: FleetFiles, dataDir?: string): string {
  const [first] = managed;
  const last = managed.findLast(({ name }) => name !== waiting);
  const kubeconfigs = [hub, ...managed].map(({ name, kubeconfigPath }) => `  ${name.padEnd(12)}${kubeconfigPath}`);
  const onHub = `--kubeconfig ${hub.kubeconfigPath}`;
  return [
    readyMark,
    ...kubeconfigs,
    '',
    'Try next, in another terminal:',
    ...(waiting === undefined
      ? []
      : [`  # ${waiting} has asked and waits: let it in`, `  ${program} accept --clusters ${waiting} --wait ${onHub}`]),
    `  # apply something to ${first?.name} through the hub, and look at it there`,
    `  ${program} create work try -f ${tryFile} --clusters ${first?.name} --feedback --wait ${onHub}`,
    `  # take ${last?.name} away`,
    `  ${program} unjoin --cluster-name ${last?.name} --kubeconfig ${last?.kubeconfigPath} --hub-kubeconfig ${hub.kubeconfigPath}`,
    '',
    `To look around: \`${program} get clusters ${onHub}\`, also \`get works\`, \`get csr\` and \`explain work ${exampleName}\`.`,
    dataDir === undefined
      ? 'Ctrl-C ends everything.'
      : `Ctrl-C, or \`${program} down --data-dir ${dataDir}\`, ends everything.`,
  ].join('\n');
}
