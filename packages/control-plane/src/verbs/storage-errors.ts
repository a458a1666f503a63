import type { KubeError } from '@flotilla/kube';
import type { Call } from '../contracts/call.ts';
import { conflict } from '../errors/api-errors.ts';

/** Where the real server keeps built-in kinds whose place in etcd is not their plural. Messages of its storage name the place. */
const places: Readonly<Record<string, string>> = {
  '/endpoints': 'services/endpoints',
  '/nodes': 'minions',
  '/services': 'services/specs',
  'networking.k8s.io/ingresses': 'ingress',
};

function storageKey({ info, namespace, name = '' }: Call): string {
  const place = info.source === 'custom' ? `${info.group}/${info.plural}` : (places[info.storage] ?? info.plural);
  const scope = info.namespaced ? `${namespace}/` : '';
  return `/registry/${place}/${scope}${name}`;
}

/** 409: the object of this name is not the one that was meant. */
export const uidConflict = (call: Call, wanted: string, actual: string): KubeError =>
  conflict(
    call.info,
    call.name ?? '',
    `StorageError: invalid object, Code: 4, Key: ${storageKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`,
  );
