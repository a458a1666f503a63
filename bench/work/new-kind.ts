import type { Cluster } from '@flotilla/envtest';
import { realClock } from '@flotilla/kube';
import { customResourceDefinitions } from '@flotilla/kube/kinds';
import { definition, instance } from './manifests.ts';
import { timed, type Works } from './works.ts';

const rounds = 3;
/** For so long the definition is missing, which lets an agent that only retries grow tired. */
const missingMs = 5000;

/** Milliseconds until an object is applied whose kind is new. */
export interface NewKind {
  /** Its definition is in the same work. */
  readonly together: readonly number[];
  /** Its definition is made on the managed cluster while the work waits; from then on. */
  readonly later: readonly number[];
}

/** Applies objects of kinds that the managed cluster does not have yet. */
export async function measureNewKind(works: Works, managed: Cluster, clusterName: string): Promise<NewKind> {
  const together: number[] = [];
  const later: number[] = [];
  const prefix = clusterName.charAt(0).toUpperCase() + clusterName.slice(1);
  for (let round = 0; round < rounds; round++) {
    const kind = `${prefix}Together${round}`;
    const manifests = [instance(kind, 'one'), definition(`${kind.toLowerCase()}s`, kind)];
    together.push(await timed(async () => works.applied(await works.create(`together-${round}`, manifests))));
  }
  for (let round = 0; round < rounds; round++) {
    const kind = `${prefix}Later${round}`;
    const work = await works.create(`later-${round}`, [instance(kind, 'one')]);
    await realClock.sleep(missingMs);
    later.push(
      await timed(async () => {
        await managed.client.resource(customResourceDefinitions).create(definition(`${kind.toLowerCase()}s`, kind));
        await works.applied(work);
      }),
    );
  }
  return { together, later };
}
