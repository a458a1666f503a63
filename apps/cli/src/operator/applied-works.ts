import type { AppliedManifestWork } from '@flotilla/api-types';
import { CliError } from '../errors/cli-error.ts';

/** What to do first: the agent cleans up what it applied, and then it is gone. */
export const worksAreApplied = (works: readonly AppliedManifestWork[]): CliError =>
  new CliError(
    'precondition',
    `works are still applied on this cluster: ${works.map(({ metadata }) => metadata?.name).join(', ')}`,
    'Delete them on the hub first, or the whole cluster with --hub-kubeconfig. With --force what they applied stays on this cluster.',
  );
