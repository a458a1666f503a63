import type { KubeObject } from '@flotilla/api-types';
import { KubeError, type KubeRequest, type KubeResponse } from '@flotilla/kube';

/** The few calls that this package makes itself, over whatever sends requests. */
export interface Api {
  request(request: KubeRequest): Promise<KubeResponse>;
}

const fieldManager = 'flotilla-envtest';

/** Creates an object and answers what the server made of it. */
export async function create<T extends KubeObject>(api: Api, path: string, object: T, query = ''): Promise<T> {
  const { body } = await api.request({
    method: 'POST',
    path: `${path}?fieldManager=${fieldManager}${query}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  });
  return JSON.parse(body);
}

/** Creates an object unless one of that name is there. */
export async function ensure(api: Api, path: string, object: KubeObject): Promise<void> {
  try {
    await create(api, path, object);
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 'AlreadyExists')) throw error;
  }
}

/** Server-side apply, taking over fields of others. */
export async function apply(api: Api, path: string, object: KubeObject): Promise<void> {
  await api.request({
    method: 'PATCH',
    path: `${path}/${object.metadata?.name}?fieldManager=${fieldManager}&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify(object),
    repeatable: true,
  });
}
