import type { ApiVersion } from '../../documents/api-groups.ts';
import { serverVersion } from '../../version.ts';
import { components } from '../components.ts';
import { loadDescriptions } from '../descriptions.ts';
import { listingPath, pathsOf } from '../operations.ts';
import { type PackedDocument, packed } from '../packed-document.ts';
import { encodeSwagger, type SwaggerDocument } from './protobuf.ts';
import { definitionOf, toSwaggerPath } from './to-swagger.ts';

const protobufRequested = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The document of version 2 in the form that a client accepts, undefined if there is none. It is made when asked for and kept packed. */
export function swaggerDocuments(
  versions: () => readonly ApiVersion[],
): (accept: string | undefined) => Promise<PackedDocument | undefined> {
  let made: { readonly from: readonly ApiVersion[]; readonly forms: Map<string, Promise<PackedDocument>> } | undefined;
  const get = (form: 'json' | 'protobuf'): Promise<PackedDocument> => {
    const from = versions();
    if (made?.from !== from) made = { from, forms: new Map() };
    const present = made.forms.get(form);
    if (present) return present;
    const document = swaggerDocument(from).then((whole) =>
      form === 'json' ? packed('application/json', JSON.stringify(whole)) : packed(protobufType, encodeSwagger(whole)),
    );
    made.forms.set(form, document);
    return document;
  };
  return async (accept) => {
    const form = formOf(accept);
    return form && get(form);
  };
}

/** The first media range that the server knows decides. */
function formOf(accept = '*/*'): 'json' | 'protobuf' | undefined {
  for (const range of accept.split(',')) {
    const type = range.split(';', 1)[0]?.trim() ?? '';
    if (type === protobufRequested || type === protobufType) return 'protobuf';
    if (['application/json', 'application/*', '*/*'].includes(type)) return 'json';
  }
  return undefined;
}

async function swaggerDocument(versions: readonly ApiVersion[]): Promise<SwaggerDocument> {
  const resources = versions.flatMap((version) => version.resources);
  const listings = versions.flatMap(({ resources: [first] }) => (first ? [listingPath(first)] : []));
  const paths = [...listings, ...resources.flatMap(pathsOf)].sort(([left], [right]) => (left < right ? -1 : 1));
  const schemas = Object.entries(components(resources, paths, await loadDescriptions()));
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: serverVersion },
    paths: Object.fromEntries(paths.map(([path, item]) => [path, toSwaggerPath(item)])),
    definitions: Object.fromEntries(schemas.map(([name, schema]) => [name, definitionOf(schema)])),
    securityDefinitions: {
      BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
    },
    security: [{ BearerToken: [] }],
  };
}
