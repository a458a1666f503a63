import type { ApiVersion } from '../documents/api-groups.ts';
import { serverVersion } from '../version.ts';
import { componentRef, shared } from './component-names.ts';
import { components } from './components.ts';
import { pathsOf } from './operations.ts';

/** The OpenAPI v3 document of one group version. */
export function openApiDocument({ groupVersion, resources }: ApiVersion): object {
  const root = groupVersion.includes('/') ? `/apis/${groupVersion}/` : `/api/${groupVersion}/`;
  const paths = [[root, listingPath] as const, ...resources.flatMap(pathsOf)];
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: serverVersion },
    paths: Object.fromEntries(paths.toSorted(([left], [right]) => (left < right ? -1 : 1))),
    components: {
      schemas: components(resources),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}

const listingPath = {
  get: {
    description: 'get available resources',
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: componentRef(shared.resourceList) } } },
      401: { description: 'Unauthorized' },
    },
  },
};
