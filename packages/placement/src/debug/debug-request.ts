import { Permission, type Placement, placements } from '@flotilla/api-types';
import { joinKey, type KubeClient } from '@flotilla/kube';
import { type ReviewedUser, reviewAccess } from '@flotilla/kube/kinds';
import type { PlacementEngine } from '../engine/engine.ts';
import { debugResultOf, type PlacementDebugResult } from './debug-result.ts';

/** The path of the debug server; `/NAMESPACE/NAME` below it is a stored placement. */
export const debugPath = '/debug/placements';
/** A longer placement is not read. */
export const longestBody = 1_048_576;

/** A question about a placement: a stored one by its name, or one that comes with the question. */
export interface DebugRequest {
  /** Undefined if the caller is not known. */
  readonly user: ReviewedUser | undefined;
  /** Of the URL. */
  readonly path: string;
  /** The body of a POST: a placement as JSON, or undefined if it is longer than `longestBody`. */
  readonly posted?: { readonly body: string | undefined };
}

/** What answers are made of. */
export interface DebugInput {
  /** For the question whether the user may create placements. */
  readonly client: Pick<KubeClient, 'resource'>;
  readonly engine: Pick<PlacementEngine, 'whenTraced'>;
  /** A stored placement by its key. */
  readonly find: (key: string) => Placement | undefined;
}

class DebugError extends Error {}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The placement as the API server would store it. */
async function parsePosted(body: string | undefined): Promise<Placement> {
  if (body === undefined) throw new DebugError(`request body too large: more than ${longestBody} bytes`);
  // Schemas are loaded with the first question of this kind: a stored placement needs none.
  const [{ applyDefaults, validate }, { describeFieldErrors }] = await Promise.all([
    import('@flotilla/api-types/kinds'),
    import('@flotilla/schema/validation'),
  ]);
  try {
    const sent: Placement = JSON.parse(body);
    const errors = validate(placements, sent);
    if (errors.length > 0) throw new Error(describeFieldErrors(errors));
    return applyDefaults(placements, sent);
  } catch (error) {
    throw new DebugError(`failed to unmarshal placement JSON: ${reasonOf(error)}`);
  }
}

/** Namespace and name of the placement in a path. */
function keyIn(path: string): { readonly namespace: string; readonly name: string } {
  const [namespace, name, ...more] = path.slice(debugPath.length + 1).split('/');
  if (!namespace || !name || more.length > 0) {
    throw new DebugError(`the path must be ${debugPath}/NAMESPACE/NAME, not ${path}`);
  }
  return { namespace: decodeURIComponent(namespace), name: decodeURIComponent(name) };
}

/** Who may create a placement would see what it selects anyway. */
async function checkAccess({ client }: DebugInput, user: ReviewedUser | undefined, namespace: string): Promise<void> {
  if (!user) throw new DebugError('user information not found in request context');
  const { group, resource, verb } = Permission.SimulatePlacement;
  const { version } = placements;
  const review = reviewAccess(client, user, { resourceAttributes: { namespace, group, version, resource, verb } });
  const { allowed, reason = '' } = await review.catch((error: unknown) => {
    throw new DebugError(`failed to check permissions: ${reasonOf(error)}`);
  });
  if (!allowed) {
    throw new DebugError(`user does not have permission to create placements in namespace ${namespace}: ${reason}`);
  }
}

/** Answers a question about a placement; it writes nothing. What is wrong with the question is in the answer, as in OCM. */
export async function answerDebugRequest(input: DebugInput, request: DebugRequest): Promise<PlacementDebugResult> {
  try {
    const posted = request.posted && (await parsePosted(request.posted.body));
    const { namespace = '', name = '' } = posted?.metadata ?? keyIn(request.path);
    await checkAccess(input, request.user, namespace);
    const placement = posted ?? input.find(joinKey(namespace, name));
    if (!placement) throw new DebugError(`placement.${placements.group} "${name}" not found`);
    try {
      return debugResultOf(placement, await input.engine.whenTraced(placement));
    } catch (error) {
      // A set that cannot be understood.
      throw new DebugError(reasonOf(error));
    }
  } catch (error) {
    if (error instanceof DebugError) return { error: error.message };
    throw error;
  }
}
