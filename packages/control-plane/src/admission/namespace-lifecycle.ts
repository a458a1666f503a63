import type { KubeObject } from '@flotilla/api-types';
import { forbidden, notFound } from '../errors/api-errors.ts';
import type { Storage } from '../storage/storage.ts';
import { type AdmissionPlugin, namespaceOf } from './admission.ts';

/** Namespaces that a cluster cannot be without. */
const immortal: readonly string[] = ['default', 'kube-system', 'kube-public'];

/** Reviews answer the same whether a namespace exists or not: its name may be a secret. */
const reviews = 'authorization.k8s.io/localsubjectaccessreviews';

/** Nothing is created in a namespace that is not there or on its way out, and some namespaces stay for ever. */
export const namespaceLifecycle = (storage: Pick<Storage, 'get'>): AdmissionPlugin => ({
  name: 'NamespaceLifecycle',
  handles: ({ operation, info }) => operation !== 'CONNECT' && info.storage !== reviews,
  mutate(request) {
    const { info, operation, name } = request;
    if (info.storage === '/namespaces') {
      if (operation === 'DELETE' && immortal.includes(name)) {
        throw forbidden(info, name, 'this namespace may not be deleted');
      }
      return undefined;
    }
    const namespace = namespaceOf(request);
    if (namespace === '' || operation === 'DELETE') return undefined;
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
    return undefined;
  },
});
