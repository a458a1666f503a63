import { isDeepStrictEqual } from 'node:util';
import type { ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@flotilla/kube/kinds';
import type { KubeObject } from '@flotilla/schema';
import type { AdmissionPlugin, AdmissionRequest } from '../../contracts/admission.ts';
import type { Registry } from '../../contracts/resource-info.ts';
import type { UserInfo } from '../../contracts/user-info.ts';
import { invalid } from '../../errors/api-errors.ts';
import { bindingStorage, type PolicyOptions, policyStorage } from './validating-policies.ts';

type ParamKind = NonNullable<ValidatingAdmissionPolicy['spec']>['paramKind'];
type Policy = KubeObject & Pick<ValidatingAdmissionPolicy, 'spec'>;
type Binding = KubeObject & Partial<Pick<ValidatingAdmissionPolicyBinding, 'spec'>>;

/** Refuses parameters that the requester may not read: the messages of a policy could reveal their content. */
export function policyParamAccess({ storage, registry, authorizer }: Omit<PolicyOptions, 'log'>): AdmissionPlugin {
  return {
    name: 'PolicyParamAccess',
    handles: ({ info, operation, subresource }) =>
      (info.storage === policyStorage || info.storage === bindingStorage) &&
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === undefined,
    validate(request) {
      const { user, object, oldObject } = request;
      if (request.info.storage === policyStorage) {
        const kind = (object as Policy | undefined)?.spec?.paramKind;
        if (!kind || isDeepStrictEqual(kind, (oldObject as Policy | undefined)?.spec?.paramKind)) return;
        const asked = { ...resourceOf(registry, kind), verb: 'get', namespace: '*', name: '*' };
        if (authorizer.authorize(user, asked).allowed) return;
        const what = `all objects of the referenced paramKind (kind=${kind.kind ?? ''}, apiVersion=${kind.apiVersion ?? ''})`;
        throw refusal(request, 'spec.paramKind', `user ${shown(user)} must have "get" permission on ${what}`);
      }
      const spec = (object as Binding | undefined)?.spec;
      const before = (oldObject as Binding | undefined)?.spec;
      const ref = spec?.paramRef;
      if (!ref) return;
      if (isDeepStrictEqual(ref, before?.paramRef) && spec?.policyName === before?.policyName) return;
      const policy: Policy | undefined = storage.get(policyStorage, spec?.policyName ?? '');
      const verb = ref.name ? 'get' : 'list';
      const asked = {
        ...resourceOf(registry, policy?.spec?.paramKind),
        verb,
        ...(ref.namespace && { namespace: ref.namespace }),
        ...(ref.name && { name: ref.name }),
      };
      if (authorizer.authorize(user, asked).allowed) return;
      const why = policy
        ? `user ${shown(user)} does not have "${verb}" permission on the object referenced by paramRef`
        : `unable to get policy ${spec?.policyName} to determine minimum required permissions and user ${shown(user)} does not have "${verb}" permission for all groups, versions and resources`;
      throw refusal(request, 'spec.paramRef', why);
    },
  };
}

/** What must be readable: the resource of the kind, or all resources if the kind is not known. */
function resourceOf(registry: Pick<Registry, 'forKind'>, kind: ParamKind) {
  const unknown = { kind: 'resource', group: '*', version: '*', resource: '*' } as const;
  if (!kind) return unknown;
  const [version = '', group = ''] = (kind.apiVersion ?? '').split('/').reverse();
  const resource = registry.forKind(group, version, kind.kind ?? '')?.plural ?? '*';
  return { ...unknown, group, version, resource };
}

/** A user as Go prints the structure. */
const shown = ({ name, uid = '', groups, extra = {} }: UserInfo): string => {
  const extras = Object.entries(extra).map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${name} ${uid} [${groups.join(' ')}] map[${extras.sort().join(' ')}]}`;
};

const refusal = ({ info, name }: AdmissionRequest, field: string, why: string) =>
  invalid(info, name, [{ reason: 'FieldValueForbidden', field, message: `Forbidden: ${why}` }]);
