import { formatTime } from '@flotilla/kube/meta';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import type { AnyObject } from '../verbs/prepare.ts';
import { requireCreate, virtualCreate } from '../verbs/virtual.ts';
import { reviewedUserInfo } from './token-review.ts';

/** SelfSubjectReview: who am I? */
export const selfSubjectReview: VerbHandler = (backend, verb, call) => {
  if (call.info.group !== 'authentication.k8s.io' || call.info.plural !== 'selfsubjectreviews') return undefined;
  requireCreate(verb, call);
  return review(backend, call);
};

async function review(backend: Backend, call: Call): Promise<Outcome> {
  const { object, admit } = await virtualCreate(backend, call);
  await admit(object);
  const answer: AnyObject = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: formatTime(backend.clock.now()) },
    status: { userInfo: reviewedUserInfo(call.user) },
  };
  return { kind: 'object', status: 201, object: answer };
}
