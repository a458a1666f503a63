import { joinKey, type KubeError } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Backend } from '../contracts/backend.ts';
import type { Call, Outcome } from '../contracts/call.ts';
import type { VerbHandler } from '../contracts/handlers.ts';
import {
  badRequest,
  conflict,
  type FieldCause,
  invalid,
  notFound,
  pathMethodNotAllowed,
} from '../errors/api-errors.ts';
import { load } from '../verbs/get.ts';
import type { AnyObject } from '../verbs/prepare.ts';
import { virtualCreate } from '../verbs/virtual.ts';
import { tokenRequestCall, tokenRequestKind } from './token-request-kind.ts';
import type { ServiceAccountTokens } from './tokens/service-account-tokens.ts';
import type { ObjectClaim } from './tokens/token-claims.ts';

interface BoundObjectRef {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: BoundObjectRef | null;
}

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

/** A token for a service account: `serviceaccounts/<name>/token`. */
export function tokenRequest(tokens: ServiceAccountTokens): VerbHandler {
  return (backend, verb, call) => {
    if (call.info.storage !== '/serviceaccounts' || call.subresource !== 'token') return undefined;
    if (verb !== 'create') throw pathMethodNotAllowed();
    return issue(tokens, backend, call);
  };
}

async function issue(tokens: ServiceAccountTokens, backend: Backend, call: Call): Promise<Outcome> {
  const { name = '', namespace = '' } = call;
  const virtual = tokenRequestCall(backend, call);
  const { object, admit } = await virtualCreate(virtual.backend, virtual.call, withExpiration);
  const given = object.metadata ?? {};
  if (given.name && given.name !== name) {
    const why = 'must match the service account name if specified';
    throw invalid(tokenRequestKind, name, [invalidValue('metadata.name', given.name, why)]);
  }
  const account = load(backend, { ...call, name });
  const uid = account.metadata?.uid ?? '';
  if (given.uid && given.uid !== uid) {
    const why = `the UID in the token request (${given.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: tokenRequestKind.group, plural: tokenRequestKind.kind }, name, why);
  }
  const spec = specOf(object, tokens.audiences);
  const creationTimestamp = formatTime(backend.clock.now());
  const request: AnyObject = { ...object, metadata: { ...given, name, namespace, uid, creationTimestamp }, spec };
  const causes = expirationCauses(spec.expirationSeconds);
  if (causes.length > 0) throw invalid(tokenRequestKind, '', causes);
  await admit(request);

  const bound = spec.boundObjectRef ? boundObjects(backend, call, spec.boundObjectRef) : {};
  const token = await tokens.issue({
    namespace,
    serviceAccount: { name, uid },
    audiences: spec.audiences,
    expirationSeconds: spec.expirationSeconds,
    ...bound,
  });
  const expirationTimestamp = formatTime(backend.clock.now() + spec.expirationSeconds * 1000);
  const answer: AnyObject = { ...request, status: { token, expirationTimestamp } };
  return { kind: 'object', status: 201, object: answer };
}

const withExpiration = (object: AnyObject): AnyObject => {
  const spec: TokenRequestSpec = object.spec ?? {};
  return { ...object, spec: { ...spec, expirationSeconds: spec.expirationSeconds ?? defaultSeconds } };
};

function specOf(object: AnyObject, ownAudiences: readonly string[]) {
  const { audiences, expirationSeconds = defaultSeconds, boundObjectRef }: TokenRequestSpec = object.spec ?? {};
  return {
    audiences: audiences && audiences.length > 0 ? audiences : ownAudiences,
    expirationSeconds,
    boundObjectRef: boundObjectRef ?? null,
  };
}

const invalidValue = (field: string, value: unknown, why: string): FieldCause => ({
  reason: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
});

function expirationCauses(seconds: number): FieldCause[] {
  const field = 'spec.expirationSeconds';
  if (seconds < minSeconds) return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > maxSeconds) {
    return [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  }
  return [];
}

/** The objects whose end is the token's end. */
function boundObjects(
  { storage }: Backend,
  { name: account = '', namespace = '' }: Call,
  ref: BoundObjectRef,
): { pod?: ObjectClaim; secret?: ObjectClaim; node?: ObjectClaim } {
  const { kind = '', apiVersion = '', name = '', uid } = ref;
  const find = (plural: string, home: string | undefined): ObjectClaim & { readonly object: KubeObject } => {
    const object = storage.get(`/${plural}`, joinKey(home, name));
    if (!object) throw notFound({ group: '', plural }, name);
    return { name, uid: object.metadata?.uid ?? '', object };
  };
  const claim = ({ name: found, uid: actual }: ObjectClaim): ObjectClaim => {
    if (uid && uid !== actual) throw staleReference(kind, name, uid);
    return { name: found, ...(actual && { uid: actual }) };
  };
  if (apiVersion.includes('/')) throw unbindable(apiVersion, kind);
  if (kind === 'Secret') return { secret: claim(find('secrets', namespace)) };
  if (kind === 'Node') return { node: claim(find('nodes', undefined)) };
  if (kind !== 'Pod') throw unbindable(apiVersion, kind);
  const pod = find('pods', namespace);
  const { serviceAccountName, nodeName } = podSpec(pod.object);
  if (serviceAccountName !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (!nodeName) return { pod: claim(pod) };
  const node = storage.get('/nodes', nodeName)?.metadata?.uid;
  return { pod: claim(pod), node: { name: nodeName, ...(node !== undefined && { uid: node }) } };
}

const podSpec = (pod: AnyObject): { serviceAccountName?: string; nodeName?: string } => pod.spec ?? {};

const staleReference = (kind: string, name: string, uid: string): KubeError =>
  conflict(
    { group: '', plural: kind },
    name,
    `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
  );

function unbindable(apiVersion: string, kind: string): KubeError {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
}
