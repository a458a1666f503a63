import type { KubeObject } from '@flotilla/schema';
import { type AdmissionPlugin, type AdmissionRequest, namespaceOf } from '../contracts/admission.ts';
import type { Storage } from '../contracts/storage.ts';
import { forbidden, notFound } from '../errors/api-errors.ts';

/** Namespaces that a cluster cannot be without. */
const protectedNamespaces: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** Reviews answer the same whether a namespace exists or not: its name may be a secret. */
const reviews = 'authorization.k8s.io/localsubjectaccessreviews';

/** Refuses objects in a namespace that does not exist or is being deleted, and the deletion of system namespaces. */
export const namespaceLifecycle = (storage: Pick<Storage, 'get'>): AdmissionPlugin => ({
  name: 'NamespaceLifecycle',
  handles: ({ operation, info }) => operation !== 'CONNECT' && info.storage !== reviews,
  mutate(request) {
    const { info, operation, name } = request;
    if (info.storage === '/namespaces' && operation === 'DELETE' && protectedNamespaces.includes(name)) {
      throw forbidden(info, name, 'this namespace may not be deleted');
    }
    checkNamespace(storage, request);
    return undefined;
  },
  // The namespace may have been deleted while a webhook was asked; an object that is stored then would never be deleted.
  recheck: (request) => checkNamespace(storage, request),
});

function checkNamespace(storage: Pick<Storage, 'get'>, request: AdmissionRequest): void {
  const { info, operation, name } = request;
  const namespace = namespaceOf(request);
  if (info.storage === '/namespaces' || namespace === '' || operation === 'DELETE') return;
  const found: (KubeObject & { status?: { phase?: string } }) | undefined = storage.get('/namespaces', namespace);
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (operation === 'CREATE' && found.status?.phase === 'Terminating') {
    throw forbidden(
      info,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
      [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    );
  }
}
