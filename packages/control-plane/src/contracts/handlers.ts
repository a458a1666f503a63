import type { Backend } from './backend.ts';
import type { Call, Outcome } from './call.ts';
import type { ApiRequest, ApiResponse } from './exchange.ts';
import type { UserInfo } from './user-info.ts';

/** Who sends this: anonymous if no credential was given. Throws for one that is wrong. */
export type Authenticator = (request: ApiRequest) => Promise<UserInfo>;

/** Serves paths that are not resources (discovery, version, health); undefined for an unknown path. */
export type PathHandler = (
  request: ApiRequest,
  user: UserInfo,
) => Promise<ApiResponse | undefined> | ApiResponse | undefined;

/** Takes a verb on a resource or subresource; undefined if it is none of its own. */
export type VerbHandler = (backend: Backend, verb: string, call: Call) => Promise<Outcome> | Outcome | undefined;
