import { type FeatureGateValues, type ManagedCluster, mayRegister, WebhookPath } from '@flotilla/api-types';
import type { Clock, KubeClient } from '@flotilla/kube';
import type { AdmissionDecision, AdmissionRequest, AdmissionUser, Webhook } from '@flotilla/kube/admission';
import { type Namespace, namespaces, reviewAccess } from '@flotilla/kube/kinds';
import { resolveGates } from '../gates.ts';
import { validateAddOn } from './addon.validation.ts';
import { validateBinding } from './binding.validation.ts';
import { mutateCluster } from './cluster.mutation.ts';
import { boundElsewhere, type NeededRight, type Validation, validateCluster } from './cluster.validation.ts';
import { allow, badRequest, forbidden } from './decisions.ts';
import { isAnnotated, isBinding, isCluster } from './decode.ts';

/** What the webhooks work with. */
export interface AdmissionInput {
  readonly client: Pick<KubeClient, 'resource'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly gates?: FeatureGateValues;
}

/** Below the ten seconds that the API server waits. */
const deadlineMs = 8000;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The hub's admission webhooks: mutation and validation of clusters, validation of set bindings and of add-ons. */
export function hubWebhooks({ client, clock, gates }: AdmissionInput): readonly Webhook[] {
  const defaultSet = resolveGates(gates).DefaultClusterSet ?? false;
  const call = { deadlineMs };

  const isAllowed = async (user: AdmissionUser, { permission, name }: NeededRight): Promise<boolean> => {
    const resourceAttributes = permission.namespace === undefined ? { ...permission, name } : permission;
    return (await reviewAccess(client, user, { resourceAttributes }, call)).allowed;
  };

  const isTerminating = ({ metadata, status }: Namespace): boolean =>
    status?.phase === 'Terminating' || metadata?.deletionTimestamp !== undefined;

  const checkRight = async (user: AdmissionUser, right: NeededRight): Promise<AdmissionDecision> => {
    const { what, name, why, livingNamespace } = right;
    try {
      const namespace = livingNamespace && (await client.resource(namespaces).find(livingNamespace, call));
      if (namespace && isTerminating(namespace)) {
        return forbidden(what, name, `cluster namespace "${livingNamespace}" is terminating`);
      }
      return (await isAllowed(user, right)) ? allow : forbidden(what, name, why(user.username ?? ''));
    } catch (error) {
      return forbidden(what, name, messageOf(error));
    }
  };

  const checkRights = async ({ userInfo }: AdmissionRequest, validation: Validation): Promise<AdmissionDecision> => {
    if ('outcome' in validation) return validation.outcome;
    for (const right of validation.needs) {
      const outcome = await checkRight(userInfo, right);
      if (!outcome.allowed) return outcome;
    }
    return allow;
  };

  const handlers: Readonly<Record<string, (request: AdmissionRequest) => Promise<AdmissionDecision>>> = {
    [WebhookPath.MutateManagedCluster]: withObjects(isCluster, async (_, cluster, old) =>
      mutateCluster(cluster, old, { now: clock.now(), defaultSet }),
    ),
    [WebhookPath.ValidateManagedCluster]: withObjects(
      isCluster,
      async (request, cluster, old) =>
        checkJoinToken(request, cluster) ?? checkRights(request, validateCluster(cluster, old)),
    ),
    [WebhookPath.ValidateManagedClusterSetBinding]: withObjects(isBinding, (request, binding, old) =>
      checkRights(request, validateBinding(binding, old)),
    ),
    [WebhookPath.ValidateManagedClusterAddOn]: withObjects(isAnnotated, (request, addon, old) =>
      checkRights(request, validateAddOn(addon, old)),
    ),
  };

  return Object.entries(handlers).map(([path, decide]) => ({ path, decide }));
}

/** The refusal of a request by the holder of a join token for another cluster. */
function checkJoinToken({ userInfo }: AdmissionRequest, { metadata }: ManagedCluster): AdmissionDecision | undefined {
  const { username = '', groups = [] } = userInfo;
  const name = metadata?.name ?? '';
  if (mayRegister(groups, name)) return undefined;
  return forbidden('managedclusters.cluster.open-cluster-management.io', name, `user "${username}${boundElsewhere}`);
}

/** Decodes what a request is about; `old` is undefined for something new. Other operations than these two are not asked about. */
const withObjects =
  <T>(
    isKind: (value: unknown) => value is T,
    decideOn: (request: AdmissionRequest, object: T, old: T | undefined) => Promise<AdmissionDecision>,
  ) =>
  async (request: AdmissionRequest): Promise<AdmissionDecision> => {
    const { operation, object, oldObject } = request;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return allow;
    if (!isKind(object)) return badRequest('the object of the request cannot be decoded');
    if (operation === 'CREATE') return decideOn(request, object, undefined);
    if (!isKind(oldObject)) return badRequest('the old object of the request cannot be decoded');
    return decideOn(request, object, oldObject);
  };
