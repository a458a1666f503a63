import { CliError } from '../errors/cli-error.ts';

/** The flags of `join` that say where the agent runs. */
export interface DeployModeOptions {
  readonly mode?: string;
  readonly singleton?: boolean;
  readonly managedClusterKubeconfig?: string;
}

/** Where the agent of a Klusterlet runs. */
export type DeployMode = 'Default' | 'Singleton' | 'Hosted' | 'SingletonHosted';

/** Whether the agent runs on another cluster than the one that joins. */
export const isHosted = ({ mode = 'default' }: DeployModeOptions): boolean => mode.toLowerCase() === 'hosted';

/** Refuses flags that contradict one another. What was chosen once is not changed by a command that says nothing about it. */
export function deployMode(options: DeployModeOptions, earlier: string | undefined): DeployMode {
  const { mode = 'default', singleton, managedClusterKubeconfig } = options;
  if (!['default', 'hosted'].includes(mode.toLowerCase())) {
    throw new CliError('usage', 'deploy mode should be default or hosted', `--mode ${mode} is not known.`);
  }
  if (isHosted(options)) {
    if (managedClusterKubeconfig === undefined) {
      throw new CliError(
        'usage',
        '--mode hosted needs --managed-cluster-kubeconfig',
        'Give the kubeconfig of the cluster that joins; --kubeconfig and --context choose the one where its agent runs.',
      );
    }
    return singleton || earlier === 'SingletonHosted' ? 'SingletonHosted' : 'Hosted';
  }
  if (earlier?.endsWith('Hosted')) {
    throw new CliError(
      'usage',
      'the agent of a cluster with this name is hosted here, and --mode hosted is missing',
      'Add --mode hosted and --managed-cluster-kubeconfig FILE, or choose another --cluster-name.',
    );
  }
  if (managedClusterKubeconfig !== undefined) {
    throw new CliError(
      'usage',
      '--managed-cluster-kubeconfig is for --mode hosted',
      'Add --mode hosted, or choose the cluster that joins by --kubeconfig or --context.',
    );
  }
  if (singleton) return 'Singleton';
  return earlier === 'Singleton' ? 'Singleton' : 'Default';
}
