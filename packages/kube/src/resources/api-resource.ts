import type { KubeObject, ResourceType } from '@flotilla/schema';

/** A kind as discovery reports it: where it is served and what it can do. */
export interface ApiResource extends ResourceType<KubeObject> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** What a server serves at one moment. */
export interface ApiResources {
  /** Groups in the server's order of preference, versions of a group too: the first match is the preferred one. */
  readonly resources: readonly ApiResource[];
  /** `group/version` whose own API server did not answer: what they serve is not known now. */
  readonly unreachable: readonly string[];
}
