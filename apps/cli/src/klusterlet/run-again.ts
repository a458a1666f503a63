import { clusterFlags } from '../cluster/cluster-flags.ts';
import type { CliContext, GlobalOptions } from '../context.ts';
import type { JoinOptions } from '../operator/join-options.ts';
import type { EarlierJoin } from './earlier-join.ts';

/** How to run the agent of a cluster again. */
export const runAgain = (context: CliContext, options: JoinOptions & GlobalOptions): string =>
  [context.program, 'join --cluster-name', options.clusterName, '--run', ...clusterFlags(context, options)].join(' ');

/** For who forgot the token: perhaps none is needed. */
export const againWithoutToken = (
  context: CliContext,
  options: JoinOptions & GlobalOptions,
  earlier: EarlierJoin | undefined,
): string =>
  earlier?.server === undefined
    ? ''
    : ` To run the agent of this cluster again, no token is needed: \`${runAgain(context, options)}\`.`;
