import { type Command, Option } from 'commander';
import { booleanOption, pairsOption } from './command.ts';

/** `--operator`, which forces what is otherwise decided by whether the cluster runs pods. */
export const operatorOption = (): Option =>
  new Option(
    '--operator [boolean]',
    'install the operator, which runs the programs in this cluster; default: if the cluster has nodes',
  ).argParser(booleanOption);

/** Which images run. */
export function addImageFlags(command: Command): void {
  command
    .option('--image-registry <registry>', 'registry of all images; default: flotilla')
    .option('--bundle-version <version>', 'release to install: default, latest, or its version')
    .option('--bundle-version-overrides <file>', 'JSON file that names another tag of images: {"flotilla": "v1.2.3"}');
}

/** Which images run and how they are pulled, how large they are, and where they say whose they are. */
export function addInstallFlags(command: Command): void {
  addImageFlags(command);
  command
    .option('--image-pull-credential-file <file>', 'Docker configuration file to pull images with')
    .option(
      '--resource-qos-class <class>',
      'size of the programs that the operator runs: Default, BestEffort or ResourceRequirement',
    )
    .option('--resource-limits <pairs>', 'limits of each program, such as cpu=1,memory=1Gi', pairsOption)
    .option('--resource-requests <pairs>', 'requests of each program, such as cpu=500m,memory=512Mi', pairsOption)
    .option('--enable-sync-labels', 'put labels of the ClusterManager or Klusterlet on what the operator makes for it');
}
