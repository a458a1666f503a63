import type { Removal, RemovalReporter } from '@flotilla/install';
import type { KubeClient } from '@flotilla/kube';
import type { CliContext } from '../context.ts';
import type { Progress } from '../output/progress.ts';
import { cliOwner } from './owner.ts';

/** What a command says about a removal. */
export interface RemovalOptions {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  /** Seconds. */
  readonly timeout: number;
}

/** A removal of what the command line created, reported to the user. */
export const removalOf = (
  { clock, signal }: Pick<CliContext, 'clock' | 'signal'>,
  client: KubeClient,
  { dryRun = false, force = false, timeout }: RemovalOptions,
  { progress, removed, left }: { readonly progress: Progress } & Pick<RemovalReporter, 'removed' | 'left'>,
): Removal => ({
  client,
  owner: cliOwner,
  clock,
  signal,
  dryRun,
  force,
  forceHint: '--force does not wait.',
  timeoutMs: timeout * 1000,
  reporter: {
    removed,
    left,
    pending: (message) => progress.update(message),
    note: (message) => progress.done(message),
  },
});
