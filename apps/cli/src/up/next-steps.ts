import { exampleAddOn } from './example-addon.ts';
import { placementName } from './example-placement.ts';
import { exampleName } from './example-work.ts';

/** What to show: names, and where the kubeconfigs and the file to try are. */
export interface FleetFiles {
  readonly hub: ServerFiles;
  readonly managed: readonly ServerFiles[];
  /** Names of those that are joined and accepted, Available or not. */
  readonly accepted: readonly string[];
  /** The one that waits to be accepted, if it does. */
  readonly waiting?: string;
  readonly tryFile: string;
  /** Where `down` finds the fleet. */
  readonly dataDir?: string;
  /** Whether it runs in the background. */
  readonly detached: boolean;
}

/** A server of the fleet, as a user sees it. */
interface ServerFiles {
  readonly name: string;
  readonly kubeconfigPath: string;
}

/** What `up` prints when the fleet is ready: where the kubeconfigs are, and three things to try, each ready to be pasted. */
export function nextSteps(program: string, fleet: FleetFiles): string {
  const { hub, managed, waiting, tryFile, accepted } = fleet;
  const joined = managed.filter(({ name }) => accepted.includes(name));
  const [first] = joined;
  const last = joined.at(-1);
  const kubeconfigs = [hub, ...managed].map(({ name, kubeconfigPath }) => `  ${name.padEnd(12)}${kubeconfigPath}`);
  const onHub = `--kubeconfig ${hub.kubeconfigPath}`;
  const steps = [
    ...(waiting === undefined
      ? []
      : [
          `  # ${waiting} has requested to join and waits: accept it`,
          `  ${program} accept --clusters ${waiting} --wait ${onHub}`,
        ]),
    ...(first && last
      ? [
          `  # apply something to ${first.name} through the hub, and see it there`,
          `  ${program} create work try -f ${tryFile} --clusters ${first.name} --feedback --wait ${onHub}`,
          `  # remove ${last.name} from the hub`,
          `  ${program} unjoin --cluster-name ${last.name} --kubeconfig ${last.kubeconfigPath} --hub-kubeconfig ${hub.kubeconfigPath}`,
        ]
      : []),
  ];
  const look =
    managed.length > 0
      ? `To look around: \`${program} get clusters ${onHub}\`, also \`get works\`, \`get csr\`, \`get addons\`, \`explain work ${exampleName}\`, \`explain addon ${exampleAddOn}\` and \`rollout status mwrs ${placementName}\`.`
      : `To join a cluster, run there what \`${program} get token ${onHub}\` prints.`;
  return [
    'Kubeconfigs:',
    ...kubeconfigs,
    '',
    ...(steps.length > 0 ? [tryNext(fleet), ...steps, ''] : []),
    look,
    endStep(program, fleet),
  ].join('\n');
}

/** The heading of what to try. */
export const tryNext = ({ detached }: Pick<FleetFiles, 'detached'>): string =>
  detached ? 'Try next:' : 'Try next, in another terminal:';

/** How the fleet is stopped. */
export function endStep(program: string, { dataDir, detached }: Pick<FleetFiles, 'dataDir' | 'detached'>): string {
  const down = `\`${program} down --data-dir ${dataDir}\``;
  if (detached) return `It runs in the background: ${down} stops it.`;
  return dataDir === undefined ? 'Ctrl-C stops the fleet.' : `Ctrl-C, or ${down}, stops the fleet.`;
}
