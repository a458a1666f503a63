import type { KubeObject, ResourceType } from '@flotilla/schema';
import { apiVersionOf } from '../meta/api-version.ts';

/** What differs between handles of whole objects and of their metadata only. */
export interface Representation<T extends KubeObject> {
  readonly whole: boolean;
  readonly objectHeaders: Readonly<Record<string, string>>;
  readonly listHeaders: Readonly<Record<string, string>>;
  /** Gives an object the kind it was asked as: items of lists come without, metadata as `PartialObjectMetadata`. */
  complete(object: T): T;
}

const json = 'application/json';

/** Objects as they are. */
export function wholeObjects<T extends KubeObject>(type: ResourceType<T>): Representation<T> {
  const apiVersion = apiVersionOf(type);
  const { kind } = type;
  return {
    whole: true,
    objectHeaders: { accept: json },
    listHeaders: { accept: json },
    complete(object) {
      object.apiVersion ??= apiVersion;
      object.kind ??= kind;
      return object;
    },
  };
}

/** Metadata only, cut by the server; one that cannot sends whole objects, which are cut here. */
export function metadataOnly(type: ResourceType): Representation<KubeObject> {
  const apiVersion = apiVersionOf(type);
  const { kind } = type;
  return {
    whole: false,
    objectHeaders: { accept: `${json};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${json}` },
    listHeaders: { accept: `${json};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,${json}` },
    complete: ({ metadata }) => ({ apiVersion, kind, metadata }),
  };
}
