import type { KubeObject, ResourceType } from '@flotilla/schema';
import { KubeError } from '../errors/kube-error.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import { convertedHandle, type VersionConversion } from './converted-handle.ts';
import type { KubeClient } from './kube-client.ts';
import type { ResourceHandle } from './resource-handle.ts';
import { servedHandle } from './served-handle.ts';

/** What needs to be known of a client to choose between versions of a kind. */
type VersionedClient = Pick<KubeClient, 'resource' | 'metadata' | 'mapper'>;

/**
 * A client for servers that may serve an older version of one kind only: calls on the newer one are converted there, and nothing else
 * changes. Every caller goes on to read and write the newer version.
 */
export function withOlderVersion<C extends VersionedClient, T extends KubeObject, S extends KubeObject>(
  client: C,
  conversion: VersionConversion<T, S>,
): C {
  const { type, served } = conversion;
  const isMeant = (other: ResourceType): boolean =>
    other.group === type.group && other.version === type.version && other.plural === type.plural;
  const isOlderServed = async (): Promise<boolean> => {
    try {
      await client.mapper.byKind(apiVersionOf(served), served.kind);
      return true;
    } catch (error) {
      if (KubeError.is(error, 'UnknownKind')) return false;
      throw error;
    }
  };
  return {
    ...client,
    resource<U extends KubeObject>(other: ResourceType<U>): ResourceHandle<U> {
      if (!isMeant(other)) return client.resource(other);
      const older = convertedHandle(client.resource(served), conversion);
      // The same group, version and plural mean the same type of objects.
      return servedHandle(
        client.resource(type),
        older,
        isOlderServed,
      ) as ResourceHandle<KubeObject> as ResourceHandle<U>;
    },
    metadata: (other: ResourceType) =>
      isMeant(other)
        ? servedHandle(client.metadata(type), client.metadata(served), isOlderServed)
        : client.metadata(other),
  };
}
