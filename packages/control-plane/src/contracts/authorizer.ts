import type { UserInfo } from './user-info.ts';

/** What is asked: a verb on a resource, or on a path that is none. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export interface Decision {
  readonly allowed: boolean;
  /** Which binding allowed it, or why nothing did; shown in access reviews. May be made when it is read. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(user: UserInfo, attributes: Attributes): Decision;
}
