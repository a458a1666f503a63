import type { ApiVersion } from '../documents/api-groups.ts';
import { serverVersion } from '../version.ts';
import { components } from './components.ts';
import type { Descriptions } from './descriptions.ts';
import { listingPath, pathsOf } from './operations.ts';

/** The OpenAPI v3 document of one group version. */
export function openApiDocument({ resources }: ApiVersion, descriptions: Descriptions): object {
  const paths = [...resources.slice(0, 1).map(listingPath), ...resources.flatMap(pathsOf)];
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: serverVersion },
    paths: Object.fromEntries(paths.sort(([left], [right]) => (left < right ? -1 : 1))),
    components: {
      schemas: components(resources, paths, descriptions),
      securitySchemes: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    },
  };
}
