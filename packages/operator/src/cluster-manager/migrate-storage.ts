import { Label } from '@flotilla/api-types';
import { type ConditionInput, isAbsence, KubeError, mapLimited } from '@flotilla/kube';
import type { CustomResourceDefinition } from '@flotilla/schema/define';
import type { HubCluster } from './connections.ts';
import { failedPhase } from './phase.ts';

/** So many writes at a time leave an API server responsive. */
const mostAtOnce = 16;

/** A definition as the server reports it. */
interface ServedDefinition extends CustomResourceDefinition {
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/** How far objects are stored in the version that their definition names. */
export interface StorageMigration {
  readonly condition: ConditionInput;
  /** To try again for. */
  readonly error?: unknown;
}

const storageVersionOf = ({ spec }: CustomResourceDefinition): string =>
  spec.versions.find(({ storage }) => storage)?.name ?? '';

/** Whether a definition may have objects that are stored in another version. */
const isMixed = (definition: ServedDefinition): boolean =>
  (definition.status?.storedVersions ?? []).some((version) => version !== storageVersionOf(definition));

/**
 * Writes objects again that may be stored in an older version, and then says in their definition that there are none: a version can
 * only be dropped after that. OCM leaves it to a migrator that few clusters have.
 */
export async function migrateStorage({ client, definitions }: HubCluster, owner: string): Promise<StorageMigration> {
  const mixed = definitions
    .list()
    .filter(({ metadata }) => metadata.labels?.[Label.CreatedByClusterManager] === owner)
    .filter(isMixed);
  const failures: { readonly name: string; readonly error: unknown }[] = [];
  for (const definition of mixed) {
    const { name } = definition.metadata;
    try {
      await rewriteObjects(client, definition);
      const body = { status: { storedVersions: [storageVersionOf(definition)] } };
      await definitions.status.patch(name, { type: 'merge', body });
    } catch (error) {
      failures.push({ name, error });
    }
  }
  const [first] = failures;
  if (!first) {
    const message = 'All objects are stored in the version that their definition names';
    return { condition: migration('True', 'StorageVersionMigrationSucceed', message) };
  }
  const message = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`).join(' ');
  return { condition: migration('False', 'StorageVersionMigrationFailed', message), error: first.error };
}

const messageOf = (error: unknown): string => failedPhase(error, 'CRDApplyFailed').message;

const migration = (status: 'True' | 'False', reason: string, message: string): ConditionInput => ({
  type: 'MigrationSucceeded',
  status,
  reason,
  message,
});

async function rewriteObjects(client: HubCluster['client'], definition: CustomResourceDefinition): Promise<void> {
  const { group, names, scope } = definition.spec;
  const handle = client.resource({
    group,
    version: storageVersionOf(definition),
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === 'Namespaced',
  });
  for await (const { items } of handle.pages()) {
    await mapLimited(items, mostAtOnce, async (object) => {
      try {
        await handle.replace(object);
      } catch (error) {
        // One that somebody else wrote or deleted meanwhile is not stored in the older version any more.
        if (!isAbsence(error) && !KubeError.is(error, 'Conflict')) throw error;
      }
    });
  }
}
