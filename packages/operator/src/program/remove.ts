import { type ClusterManager, clusterManagers, type Klusterlet, klusterlets } from '@flotilla/api-types';
import {
  type CachedResource,
  type Clock,
  createInformers,
  isAbsence,
  type KubeClient,
  KubeError,
  type Logger,
} from '@flotilla/kube';
import { connectKube, type ProcessHost, runProcess } from '@flotilla/process';
import type { ResourceType } from '@flotilla/schema';
import { filter, firstValueFrom, map, race, Subject, startWith } from 'rxjs';
import { removeOptions } from './remove-options.ts';
import type { OperatorProgram } from './run-operator-program.ts';

type Operated = ClusterManager | Klusterlet;

/** The object whose removal an uninstallation waits for. */
export interface RemovedObject {
  readonly type: ResourceType<Operated>;
  readonly name: string;
  readonly timeoutMs: number;
}

/**
 * Deletes a ClusterManager or Klusterlet and waits until it no longer exists: an uninstallation that deleted the operator at the same
 * time would leave the object with a finalizer that no program releases.
 */
export async function removeOperated(
  { client, clock, log }: { readonly client: KubeClient; readonly clock: Clock; readonly log: Logger },
  { type, name, timeoutMs }: RemovedObject,
): Promise<void> {
  using informers = createInformers({ client, clock });
  const cache = informers.resource(type, { fieldSelector: `metadata.name=${name}` });
  if (!(await isServed(cache, timeoutMs)) || !cache.has(name)) {
    log.info('nothing to remove', { kind: type.kind, name });
    return;
  }
  await cache.delete(name).catch(ignoreAbsence);
  const removed = cache.changes.pipe(
    startWith(undefined),
    filter(() => !cache.has(name)),
    map(() => 'removed' as const),
  );
  const deadline = new Subject<'timed out'>();
  const cancel = clock.schedule(timeoutMs, () => deadline.next('timed out'));
  try {
    const outcome = await firstValueFrom(race(removed, deadline));
    if (outcome === 'timed out') throw stillExists(type, cache.get(name), timeoutMs);
    log.info('removed', { kind: type.kind, name });
  } finally {
    cancel();
  }
}

/** Whether there are objects of the kind: its definition may have been deleted first, and they with it. */
async function isServed(cache: CachedResource<Operated>, timeoutMs: number): Promise<boolean> {
  try {
    await cache.whenSynced({ timeoutMs, endsOn: ['NotFound'] });
    return true;
  } catch (error) {
    if (KubeError.is(error, 'NotFound')) return false;
    throw error;
  }
}

const ignoreAbsence = (error: unknown): void => {
  if (!isAbsence(error)) throw error;
};

function stillExists({ kind }: ResourceType, live: Operated | undefined, timeoutMs: number): KubeError {
  const waiting = (live?.status?.conditions ?? []).filter(({ status }) => status === 'False');
  const why = waiting.map(({ type, message }) => `${type}: ${message}`).join('; ');
  return new KubeError(
    'Timeout',
    `${kind} ${live?.metadata.name} still exists after ${Math.round(timeoutMs / 1000)}s${why && `: ${why}`}`,
    { hint: 'Resolve what its conditions name, and uninstall again.' },
  );
}

/** Runs the removal as a program: the charts run it before they are uninstalled. */
export const runRemoval = (host: ProcessHost, { name, version }: OperatorProgram): Promise<void> =>
  runProcess({
    name: `${name} remove`,
    prefix: 'flotilla',
    version,
    description: 'Delete a ClusterManager or a Klusterlet, and wait until its operator removed what it installed.',
    options: removeOptions,
    host,
    async main(context) {
      const { options, clock, log } = context;
      const client = connectKube(context, { name: 'management', env: host.env, fieldManager: `${name}-remove` });
      try {
        const timeoutMs = options.timeout;
        if (!options.clusterManager && !options.klusterlet) {
          throw new KubeError('Config', 'nothing to remove is named', {
            hint: 'Set --cluster-manager or --klusterlet to the name of the object.',
          });
        }
        const named = [
          { type: clusterManagers, name: options.clusterManager },
          { type: klusterlets, name: options.klusterlet },
        ];
        for (const one of named) if (one.name) await removeOperated({ client, clock, log }, { ...one, timeoutMs });
      } finally {
        await client.close();
      }
    },
  });
