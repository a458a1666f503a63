import type { Authorizer } from '../contracts/authorizer.ts';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import type { FieldCause } from '../errors/api-errors.ts';
import { invalid as invalidObject } from '../errors/api-errors.ts';
import type { AnyObject } from '../verbs/prepare.ts';
import { requireCreate, virtualCreate } from '../verbs/virtual.ts';
import {
  type AccessReviewSpec,
  attributesOf,
  goFields,
  invalid,
  reviewedUser,
  selectorError,
  specCauses,
} from './review-attributes.ts';

const group = 'authorization.k8s.io';

/** SubjectAccessReview, its local form, and the one about oneself: may this user do that? */
export function accessReviews(authorizer: Authorizer): VerbHandler {
  return (backend, verb, call) => {
    const check = call.info.group === group ? checks[call.info.plural] : undefined;
    if (!check) return undefined;
    requireCreate(verb, call);
    return review(authorizer, backend, call, check);
  };
}

type Check = (object: AnyObject, spec: AccessReviewSpec) => FieldCause[];

/** What each kind refuses. */
const checks: Readonly<Record<string, Check>> = {
  subjectaccessreviews: (object, spec) => [...specCauses(spec, true), ...metadataCauses(object, 'must be empty')],
  selfsubjectaccessreviews: (object, spec) => [...specCauses(spec, false), ...metadataCauses(object, 'must be empty')],
  localsubjectaccessreviews: (object, spec) => [
    ...specCauses(spec, true),
    ...metadataCauses(object, 'must be empty except for namespace'),
    ...localCauses(object, spec),
  ],
};

async function review(authorizer: Authorizer, backend: Backend, call: Call, check: Check): Promise<Outcome> {
  const { object, admit } = await virtualCreate(backend, call);
  const spec: AccessReviewSpec = object.spec ?? {};
  const causes = check(object, spec);
  // The real server does not know the kind at this point, and leaves it out.
  if (causes.length > 0) throw invalidObject({ group, kind: '' }, '', causes);
  await admit(object);
  const user = call.info.plural === 'selfsubjectaccessreviews' ? call.user : reviewedUser(spec);
  const { allowed, reason } = authorizer.authorize(user, attributesOf(spec));
  const evaluationError = selectorError(spec);
  const status = { allowed, ...(reason !== '' && { reason }), ...(evaluationError && { evaluationError }) };
  const answer: AnyObject = { ...object, spec, status };
  return { kind: 'object', status: 201, object: answer };
}

/** Nothing is stored, so nothing may be named. The namespace of a local review was put there from the path. */
function metadataCauses({ metadata = {} }: AnyObject, why: string): FieldCause[] {
  const { managedFields: _, namespace: __, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [invalid('metadata', metadata, why)];
}

function localCauses(
  { metadata }: AnyObject,
  { resourceAttributes, nonResourceAttributes }: AccessReviewSpec,
): FieldCause[] {
  const causes: FieldCause[] = [];
  const namespace = resourceAttributes?.namespace ?? '';
  if (resourceAttributes && namespace !== metadata?.namespace) {
    causes.push(invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes) {
    causes.push(
      invalid('spec.nonResourceAttributes', goFields(nonResourceAttributes), 'disallowed on this kind of request'),
    );
  }
  return causes;
}
